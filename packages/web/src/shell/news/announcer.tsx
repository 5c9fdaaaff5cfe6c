import { useEffect, useRef, useState } from 'react';
import type { Rows } from '../../data/changes.logic.ts';
import { useInbox } from '../../data/inbox.ts';
import { useRows } from '../../data/rows.ts';
import { announce, type NewsMemory, takeNews } from './news.logic.ts';
import { tellNews, withdraw } from './notices.ts';

const sessionsOf = (rows: Rows) => rows.sessions;
const isCompleteOf = (rows: Rows) => rows.isComplete;

/** Says what is new to whoever listens to this page, and to whoever looks elsewhere. */
export function Announcer() {
  const inbox = useInbox();
  const sessions = useRows(sessionsOf);
  const isComplete = useRows(isCompleteOf);
  const memory = useRef<NewsMemory | null>(null);
  const [said, setSaid] = useState({ count: 0, sentence: '' });
  useEffect(() => {
    if (!isComplete) return;
    const isFirst = memory.current === null;
    const taken = takeNews(memory.current, { inbox, sessions });
    memory.current = taken.memory;
    if (taken.fresh.length > 0) void tellNews(taken.fresh);
    // What passed while no page was open is found by what was shown then.
    if (isFirst) void withdraw((key) => !taken.stands(key));
    else if (taken.gone.length > 0) void withdraw((key) => taken.gone.includes(key));
    const sentence = announce(taken.fresh, inbox.length);
    if (sentence !== '') setSaid(({ count }) => ({ count: count + 1, sentence }));
  }, [inbox, sessions, isComplete]);
  useEffect(() => {
    if (!('setAppBadge' in navigator)) return;
    // Only an installed app has a badge; elsewhere it is refused, or nothing.
    const badge = inbox.length > 0 ? navigator.setAppBadge(inbox.length) : navigator.clearAppBadge();
    badge.catch(() => undefined);
  }, [inbox.length]);
  return (
    <div className="hidden-text" role="status" aria-live="polite">
      {/* The same words again are something new to say. */}
      <span key={said.count}>{said.sentence}</span>
    </div>
  );
}
