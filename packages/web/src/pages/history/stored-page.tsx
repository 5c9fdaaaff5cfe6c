import '../../styles/session.css';
import '../../styles/conversation.css';
import '../../styles/markdown.css';
import '../../styles/tables.css';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { ArrowLeft, Play } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { call } from '../../data/call.ts';
import { takeSession } from '../../data/rows.ts';
import { EMPTY_CONVERSATION } from '../../data/session.logic.ts';
import { Fault } from '../../parts/fault.tsx';
import { moneyOf } from '../../parts/format.logic.ts';
import { Link, navigate, useQuery } from '../../parts/router.tsx';
import { Age, Button, Empty } from '../../parts/small.tsx';
import { tellFault } from '../../parts/toasts.tsx';
import { useKeys } from '../../shell/keys.ts';
import { Told } from '../session/told.tsx';
import { branchesOf, itemsOf, messagesOf, nameOf, type Stored } from './stored.logic.ts';

/** One stored session: read, and gone on with. */
export function StoredPage({ params: { agent = '', nativeId = '' } }: { params: Readonly<Record<string, string>> }) {
  const stored = useAnswer({
    queryKey: ['stored', agent, nativeId],
    queryFn: ({ signal }) => call('readHistory', { params: { agent, nativeId } }, signal),
  });
  if (stored.error) {
    return (
      <Empty title="This cannot be read">
        <Fault error={stored.error} />
        <p>
          <Link className="text-link" href="/history">
            All of history
          </Link>
        </p>
      </Empty>
    );
  }
  return stored.data ? <Reader stored={stored.data} /> : <p className="loading">Loading…</p>;
}

function Reader({ stored }: { stored: Stored }) {
  const { agent, sessionId, cwd, model, costUsd = null, faults = [] } = stored;
  const [branch, setBranch] = useQuery('branch');
  const [find] = useQuery('find');
  const [near] = useQuery('near');
  const branches = useMemo(() => branchesOf(stored), [stored]);
  const active = branches[0]?.id ?? '';
  const shown = branches.some(({ id }) => id === branch) ? branch : active;
  const messages = messagesOf(stored, shown);
  const [isBusy, setBusy] = useState(false);
  const firstPrompt = stored.messages.find(({ role }) => role === 'user')?.text;
  const name = nameOf({ title: stored.title, firstPrompt, sessionId });
  const items = useMemo(() => itemsOf(messages), [messages]);
  const conversation = useMemo(() => ({ ...EMPTY_CONVERSATION, items }), [items]);
  const time = stored.updatedAt ?? stored.createdAt;
  useEffect(() => {
    document.title = `${name} · agent-mux`;
  }, [name]);
  const goOn = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      const session = await call('takeOver', { params: { agent, nativeId: sessionId } });
      takeSession(session);
      navigate(`/sessions/${session.id}`);
    } catch (error) {
      tellFault(error);
      setBusy(false);
    }
  };
  useKeys([{ keys: 'r', label: 'Go on with it here', group: 'History', run: () => void goOn() }]);
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
        <Button look="next" onClick={() => void goOn()} disabled={isBusy}>
          <Play />
          {isBusy ? 'Taking it over…' : 'Go on with it here'}
        </Button>
      </header>
      {branches.length > 0 ? (
        <div className="stored-branches">
          <label>
            <span className="muted">A tree with {branches.length} branches. Shown:</span>
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
          {shown === active ? null : <p className="muted">To go on is to go on with the first, not with this one.</p>}
        </div>
      ) : null}
      {faults.length > 0 ? (
        <details className="problems stored-problems">
          <summary>Parts of it could not be read ({faults.length})</summary>
          <ul>
            {faults.slice(0, 100).map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </details>
      ) : null}
      {items.length === 0 ? (
        <Empty title="Nothing was said">
          <p className="muted">The agent has stored the session, and no message of it.</p>
        </Empty>
      ) : (
        <Told
          key={`${shown} ${find}`}
          id={`stored-${agent}-${sessionId}-${shown}`}
          conversation={conversation}
          wanted={find === '' ? undefined : { words: find, near }}
        />
      )}
    </div>
  );
}
