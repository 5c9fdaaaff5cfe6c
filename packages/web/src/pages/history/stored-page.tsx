import '../../styles/session.css';
import '../../styles/conversation.css';
import '../../styles/markdown.css';
import '../../styles/tables.css';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { ArrowLeft, Play } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { moneyOf } from '../../components/format.logic.ts';
import { Age, Button, Empty } from '../../components/primitives.tsx';
import { Link, navigate, useQuery } from '../../components/router.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { call } from '../../data/call.ts';
import { applySession } from '../../data/rows.ts';
import { EMPTY_CONVERSATION } from '../../data/session.logic.ts';
import { useKeys } from '../../shell/keys.ts';
import { ConversationView } from '../session/conversation-view.tsx';
import { branchesOf, itemsOf, messagesOf, nameOf, type Stored } from './stored.logic.ts';

/** Shows one stored session, which can be continued. */
export function StoredPage({
  params: { agent = '', agentSessionId = '' },
}: {
  params: Readonly<Record<string, string>>;
}) {
  const stored = useAnswer({
    queryKey: ['stored', agent, agentSessionId],
    queryFn: ({ signal }) => call('getHistory', { params: { agent, agentSessionId } }, signal),
  });
  if (stored.error) {
    return (
      <Empty title="Could not read this session">
        <ErrorMessage error={stored.error} />
        <p>
          <Link className="text-link" href="/history">
            Back to history
          </Link>
        </p>
      </Empty>
    );
  }
  return stored.data ? <Reader stored={stored.data} /> : <p className="loading">Loading…</p>;
}

function Reader({ stored }: { stored: Stored }) {
  const { agent, agentSessionId, cwd, model, costUsd = null, warnings = [] } = stored;
  const [branch, setBranch] = useQuery('branch');
  const [find] = useQuery('find');
  const [near] = useQuery('near');
  const branches = useMemo(() => branchesOf(stored), [stored]);
  const active = branches[0]?.id ?? '';
  const shown = branches.some(({ id }) => id === branch) ? branch : active;
  const messages = messagesOf(stored, shown);
  const [isBusy, setBusy] = useState(false);
  const firstPrompt = stored.messages.find(({ role }) => role === 'user')?.text;
  const name = nameOf({ title: stored.title, firstPrompt, agentSessionId });
  const items = useMemo(() => itemsOf(messages), [messages]);
  const conversation = useMemo(() => ({ ...EMPTY_CONVERSATION, items }), [items]);
  const time = stored.updatedAt ?? stored.createdAt;
  useEffect(() => {
    document.title = `${name} · agent-mux`;
  }, [name]);
  const continueHere = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      const session = await call('importSession', { params: { agent, agentSessionId: agentSessionId } });
      applySession(session);
      navigate(`/sessions/${session.id}`);
    } catch (error) {
      showErrorToast(error);
      setBusy(false);
    }
  };
  useKeys([{ keys: 'r', label: 'Continue here', group: 'History', run: () => void continueHere() }]);
  return (
    <div className="session">
      <header className="stored-head">
        <div className="stored-names">
          <Link className="muted stored-back" href="/history">
            <ArrowLeft className="icon" aria-hidden /> History
          </Link>
          <h1 className="cut" title={name}>
            {name}
          </h1>
          <p className="stored-facts muted">
            <span>{agent}</span>
            {model === undefined ? null : <span>{model}</span>}
            {cwd === undefined ? null : <code className="cut">{cwd}</code>}
            {costUsd === null ? null : <span>{moneyOf(costUsd)}</span>}
            {time === undefined ? null : <Age time={time} />}
          </p>
        </div>
        <Button look="next" onClick={() => void continueHere()} disabled={isBusy}>
          <Play />
          {isBusy ? 'Importing…' : 'Continue here'}
        </Button>
      </header>
      {branches.length > 0 ? (
        <div className="stored-branches">
          <label>
            <span className="muted">{branches.length} branches. Showing:</span>
            <select
              className="input"
              value={shown}
              onChange={({ target }) => setBranch(target.value === active ? '' : target.value)}
            >
              {branches.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          {shown === active ? null : <p className="muted">Continuing resumes the first branch, not this one.</p>}
        </div>
      ) : null}
      {warnings.length > 0 ? (
        <details className="problems stored-problems">
          <summary>Parts of this session could not be read ({warnings.length})</summary>
          <ul>
            {warnings.slice(0, 100).map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      ) : null}
      {items.length === 0 ? (
        <Empty title="No messages">
          <p className="muted">The agent stored this session without messages.</p>
        </Empty>
      ) : (
        <ConversationView
          key={`${shown} ${find}`}
          id={`stored-${agent}-${agentSessionId}-${shown}`}
          conversation={conversation}
          wanted={find === '' ? undefined : { text: find, near }}
        />
      )}
    </div>
  );
}
