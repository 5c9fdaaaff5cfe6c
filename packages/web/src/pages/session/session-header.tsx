import type { Session } from '@agent-mux/api/browser';
import {
  ArrowLeft,
  CircleDollarSign,
  Download,
  Ellipsis,
  GitBranch,
  GitFork,
  Hourglass,
  Moon,
  Pencil,
  Pin,
  PinOff,
  RotateCcw,
  Square,
  Trash2,
} from 'lucide-react';
import { useRef, useState } from 'react';
import { changeSession, forkSession, removeSession, runSessionAction } from '../../components/actions.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormActions } from '../../components/form-actions.tsx';
import { moneyOf, projectOf, tokensOf } from '../../components/format.logic.ts';
import { folderOf, titleOf } from '../../components/labels.logic.ts';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import { Button, Elapsed, IconButton } from '../../components/primitives.tsx';
import { Link, navigate } from '../../components/router.tsx';
import { SessionBudget } from '../../components/session-budget.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { capabilitiesOf, useAgent } from '../../data/agents.ts';
import type { Conversation } from '../../data/session.logic.ts';
import { stateOf } from '../../data/session-state.logic.ts';
import { useKeys } from '../../shell/keys.ts';
import { usePageActions } from '../../shell/page-actions.ts';
import { exportConversation } from './export.ts';

export function SessionHeader({ session, conversation }: { session: Session; conversation: Conversation }) {
  const { agent, costUsd, costSource, workspace, usage, budget } = session;
  const [dialog, setDialog] = useState<'nothing' | 'rename' | 'budget' | 'remove' | 'stop'>('nothing');
  const { context } = conversation;
  return (
    <header className="session-head">
      <Link href="/" className="button session-back" data-look="quiet" data-size="icon" aria-label="Back to the inbox">
        <ArrowLeft />
      </Link>
      <div className="session-name">
        <h1 className="cut">{titleOf(session)}</h1>
        <p className="session-facts cut">
          <StateMark session={session} withText />
          {stateOf(session) === 'working' ? <Elapsed since={session.activitySince} /> : null}
          <span>{session.model ?? agent}</span>
          <span className="cut" title={session.cwd}>
            {workspace.kind === 'worktree' ? <GitBranch className="icon" aria-label="worktree" /> : null}
            {workspace.kind === 'worktree'
              ? `${projectOf(folderOf(session))} · ${workspace.branch}`
              : projectOf(session.cwd)}
          </span>
          {costUsd === null ? null : (
            <span title={budget?.usd === undefined ? 'Cost so far' : 'Cost so far of the budget'}>
              {moneyOf(costUsd, costSource === 'estimated')}
              {budget?.usd === undefined ? '' : ` of ${moneyOf(budget.usd)}`}
            </span>
          )}
          {usage?.totalTokens ? <span title="Tokens so far">{tokensOf(usage.totalTokens)} tokens</span> : null}
          {context?.max ? (
            <span title={`${context.used.toLocaleString()} of ${context.max.toLocaleString()} tokens`}>
              context {Math.round((100 * context.used) / context.max)}%
            </span>
          ) : null}
        </p>
      </div>
      <Actions
        session={session}
        conversation={conversation}
        onRename={() => setDialog('rename')}
        onBudget={() => setDialog('budget')}
        onRemove={() => setDialog('remove')}
        onStop={() => setDialog('stop')}
      />
      {dialog === 'rename' ? <Rename session={session} onClose={() => setDialog('nothing')} /> : null}
      {dialog === 'budget' ? <SessionBudget session={session} onClose={() => setDialog('nothing')} /> : null}
      {dialog === 'stop' ? <Stop session={session} onClose={() => setDialog('nothing')} /> : null}
      {dialog === 'remove' ? <Remove session={session} onClose={() => setDialog('nothing')} /> : null}
    </header>
  );
}

interface ActionProps {
  session: Session;
  conversation: Conversation;
  onRename(): void;
  onBudget(): void;
  onRemove(): void;
  /** Used when the session cannot be restored after stopping. */
  onStop(): void;
}

function Actions({ session, conversation, onRename, onBudget, onRemove, onStop }: ActionProps) {
  const menu = useRef<HTMLButtonElement>(null);
  const { id, agent, mode, pinned, isTerminated, parked, onLimit } = session;
  const can = capabilitiesOf(useAgent(agent).data, mode);
  const fork = async () => {
    const forked = await forkSession(id);
    if (forked) navigate(`/sessions/${forked.id}`);
  };
  const entries: (MenuEntry | null)[] = [
    {
      label: pinned ? 'Unpin' : 'Pin',
      icon: pinned ? <PinOff /> : <Pin />,
      onSelect: () => void changeSession(id, { pinned: !pinned }),
    },
    { label: 'Rename…', icon: <Pencil />, onSelect: onRename },
    ...(can.canFork === true ? [{ label: 'Fork', icon: <GitFork />, onSelect: () => void fork() }] : []),
    {
      label: onLimit === 'continue' ? 'At a limit: pause' : 'At a limit: continue automatically',
      icon: <Hourglass />,
      onSelect: () => void changeSession(id, { onLimit: onLimit === 'continue' ? 'pause' : 'continue' }),
    },
    { label: 'Budget…', icon: <CircleDollarSign />, onSelect: onBudget },
    null,
    {
      label: 'Park',
      icon: <Moon />,
      isDisabled: parked || isTerminated,
      onSelect: () => void runSessionAction('parkSession', id),
    },
    isTerminated
      ? { label: 'Restore', icon: <RotateCcw />, onSelect: () => void runSessionAction('restoreSession', id) }
      : can.canResume === false
        ? { label: 'Stop…', icon: <Square />, isDanger: true, onSelect: onStop }
        : { label: 'Stop', icon: <Square />, onSelect: () => void runSessionAction('stopSession', id) },
    null,
    {
      label: 'Export as Markdown',
      icon: <Download />,
      onSelect: () => exportConversation(session, conversation, 'markdown'),
    },
    { label: 'Export events', icon: <Download />, onSelect: () => exportConversation(session, conversation, 'events') },
    null,
    { label: 'Remove…', icon: <Trash2 />, isDanger: true, onSelect: onRemove },
  ];
  usePageActions({ heading: 'This session', actions: entries.filter((entry) => entry !== null) });
  useKeys([{ keys: '.', label: 'Actions', group: 'Session', run: () => openMenu(menu.current) }]);
  return (
    <div className="session-actions">
      {isTerminated ? (
        <Button onClick={() => void runSessionAction('restoreSession', id)}>
          <RotateCcw />
          Restore
        </Button>
      ) : null}
      <Menu
        entries={entries}
        trigger={
          <IconButton label="Actions" ref={menu}>
            <Ellipsis />
          </IconButton>
        }
      />
    </div>
  );
}

/** Until first opened, the trigger is a plain button; afterwards the menu handles the keyboard. */
function openMenu(button: HTMLButtonElement | null): void {
  button?.focus();
  if (button?.dataset.state === undefined) button?.click();
  else button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
}

function Stop({ session, onClose }: { session: Session; onClose(): void }) {
  return (
    <Dialog title="Stop this session?" size="small" onClose={onClose}>
      <div className="form">
        <p>
          {session.agent} cannot resume a session after its process ends. The conversation stays readable. This cannot
          be undone.
        </p>
        <div className="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            onClick={async () => {
              if (await runSessionAction('stopSession', session.id)) onClose();
            }}
          >
            Stop
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Rename({ session, onClose }: { session: Session; onClose(): void }) {
  const [title, setTitle] = useState(session.title ?? '');
  return (
    <Dialog title="Rename" size="small" onClose={onClose}>
      <form
        className="form"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await changeSession(session.id, { title: title.trim() === '' ? null : title.trim() })) onClose();
        }}
      >
        <label className="field">
          <span>Title</span>
          <input className="input" maxLength={200} value={title} onChange={({ target }) => setTitle(target.value)} />
        </label>
        <FormActions label="Rename" onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function Remove({ session, onClose }: { session: Session; onClose(): void }) {
  return (
    <Dialog title="Remove this session?" size="small" onClose={onClose}>
      <div className="form">
        <p>
          Ends its process and deletes its conversation here. This cannot be undone. Uncommitted work of a worktree is
          saved on a ref; the agent’s own copy of the session stays.
        </p>
        <div className="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            onClick={async () => {
              if (await removeSession(session.id)) navigate('/', { replace: true });
            }}
          >
            Remove
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
