import '../../styles/new-session.css';
import type { NewSession as Given, Session } from '@agent-mux/api/browser';
import { Sparkles } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useAgent, useAgents } from '../../data/agents.ts';
import { CallError, call } from '../../data/call.ts';
import { keep, readKept } from '../../data/kept.ts';
import { currentRows, takeSession } from '../../data/rows.ts';
import { AttachButton, AttachmentList, useAttachments } from '../../parts/attachments.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { navigate } from '../../parts/router.tsx';
import { Button } from '../../parts/small.tsx';
import { folderOf } from '../../parts/words.logic.ts';
import { AgentNote, Choices } from './choices.tsx';
import { changeDraft, type Draft, emptyDraft, isEmpty, readDraft } from './draft.logic.ts';
import { FolderField, useFolders } from './folder-field.tsx';
import { offerOf, sortAgents, wishOf } from './new-session.logic.ts';
import { startDemo } from './start-demo.ts';

/** Until the window says how large it is. */
const FIRST_SCREEN = { cols: 100, rows: 30 };
const LAST_AGENT = 'agent-mux.last-agent';
const DRAFT = 'agent-mux.new-session';

/** Only what the agent can do is offered. What is written stays in this browser until it was started or cleared. */
export function NewSession({ onClose }: { onClose(): void }) {
  const agents = useAgents();
  const sorted = useMemo(() => sortAgents(agents.data ?? []), [agents.data]);
  const folders = useMemo(listKnown, []);
  const [draft, change, forget] = useKeptDraft();
  const [isFolderChosen, setFolderChosen] = useState(draft.cwd !== '');
  const [isBusy, setBusy] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const [fault, setFault] = useState<Error | null>(null);
  const prompt = useRef<HTMLTextAreaElement>(null);
  const names = sorted.map((each) => each.agent);
  const agent = [draft.agent, String(readKept(LAST_AGENT))].find((name) => names.includes(name)) ?? names[0] ?? '';
  const cwd = isFolderChosen ? draft.cwd : (folders[0] ?? '');
  const detail = useAgent(agent);
  const place = useFolders(cwd);
  const offer = offerOf(detail.data, draft, place.data);
  const attachments = useAttachments(offer.files, { files: draft.files, onFiles: (files) => change({ files }) });

  const create = async () => {
    if (isBusy || attachments.isBusy) return;
    if (draft.files.length > 0 && offer.files !== null && draft.prompt.trim() === '') {
      setFault(new Error('Say what is to be done with the files.'));
      prompt.current?.focus();
      return;
    }
    setBusy(true);
    setFault(null);
    try {
      const there = await call('listFolders', { query: { path: cwd } });
      if (there.kind !== 'folder') {
        await place.refetch();
        setRefused(true);
        setBusy(false);
        return;
      }
      if (offer.worktree && draft.worktree && !there.inRepository)
        throw new Error(`${there.path} is in no git repository, so it can have no worktree.`);
      const onScreen = offer.prompt ? draft.prompt : '';
      const wish = wishOf(draft, offerOf(detail.data, draft, there), { agent, cwd: there.path });
      const session = await begin(wish, offer.inTerminal ? onScreen : null);
      keep(LAST_AGENT, agent);
      forget();
      // It could not be handed over, and is there for the next one.
      if (!offer.prompt) change({ prompt: draft.prompt });
      takeSession(session);
      onClose();
      navigate(`/sessions/${session.id}`);
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)));
      setBusy(false);
      // Refused for good: what is tried next is another session.
      if (!(error instanceof CallError) || error.code !== 'UNREACHABLE') change({});
    }
  };
  const clear = () => {
    forget();
    attachments.clear();
    setFolderChosen(false);
    setFault(null);
    prompt.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      void create();
    }
  };
  return (
    <Dialog title="New session" onClose={onClose}>
      <form
        className="form new-session"
        {...attachments.handlers}
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <textarea
          ref={prompt}
          className="input new-prompt"
          aria-label="Prompt"
          placeholder="What is to be done?"
          rows={5}
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
        {offer.inTerminal ? null : <AttachmentList attachments={attachments} />}
        <div className="form-grid">
          <FolderField
            value={cwd}
            known={folders}
            found={place.data}
            isCurrent={!place.isPlaceholderData}
            isRefused={isRefused}
            onChange={(value) => {
              setFolderChosen(true);
              setRefused(false);
              change({ cwd: value });
            }}
          />
          <Choices draft={draft} change={change} agent={agent} agents={sorted} offer={offer} />
        </div>
        <AgentNote agent={sorted.find(({ agent: name }) => name === agent)} />
        {offer.prompt || draft.prompt.trim() === '' ? null : (
          <p className="muted">Its screen takes no prompt from here: type it there.</p>
        )}
        {fault ? <Fault error={fault} /> : null}
        <div className="form-actions">
          {isEmpty(draft) ? (
            <Button
              look="quiet"
              onClick={() => {
                onClose();
                void startDemo();
              }}
            >
              <Sparkles />
              Try the demo
            </Button>
          ) : (
            <Button look="quiet" onClick={clear}>
              Clear
            </Button>
          )}
          <span className="grow" />
          <AttachButton attachments={attachments} accept={offer.files} />
          <Button onClick={onClose}>Cancel</Button>
          <Button look="next" type="submit" disabled={isBusy || attachments.isBusy || agent === '' || cwd === ''}>
            {isBusy ? 'Starting…' : 'Start'}
            <kbd>Ctrl ⏎</kbd>
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type Change = (change: Partial<Omit<Draft, 'id'>>) => void;

function useKeptDraft(): [Draft, Change, () => void] {
  const [draft, setDraft] = useState(() => readDraft(readKept(DRAFT)));
  const latest = useRef(draft);
  const set = (next: Draft) => {
    latest.current = next;
    setDraft(next);
    keep(DRAFT, isEmpty(next) ? undefined : next);
  };
  return [draft, (change) => set(changeDraft(latest.current, change)), () => set(emptyDraft())];
}

/** With `onScreen` the prompt goes to the agent's own screen, as if it had been typed; null: it has none. */
async function begin(wish: Given, onScreen: string | null): Promise<Session> {
  const made = await call('createSession', { body: wish });
  if (onScreen === null) return made;
  const { id } = made;
  try {
    const body = { ...FIRST_SCREEN, ...(onScreen.trim() === '' ? {} : { prompt: onScreen }) };
    return await call('openTerminal', { params: { id }, body });
  } catch (error) {
    // Nothing is left of a session whose screen does not open.
    await call('removeSession', { params: { id } }).catch(() => undefined);
    throw error;
  }
}

/** Where sessions were before, the last first. */
function listKnown(): string[] {
  const sessions = [...currentRows().sessions.values()].sort((a, b) => b.createdAt - a.createdAt);
  return [...new Set(sessions.map(folderOf))].slice(0, 30);
}
