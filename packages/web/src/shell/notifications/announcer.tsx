import { useEffect, useRef, useState } from 'react';
import type { Rows } from '../../data/changes.logic.ts';
import { useInbox } from '../../data/inbox.ts';
import { useRows } from '../../data/rows.ts';
import { closeNotification, showNotification } from './browser-notifications.ts';
import { announce, collectNotices, type NoticeState } from './notices.logic.ts';

const sessionsOf = (rows: Rows) => rows.sessions;
const isCompleteOf = (rows: Rows) => rows.isComplete;

/** Announces new inbox entries to screen readers and as system notifications. */
export function Announcer() {
  const inbox = useInbox();
  const sessions = useRows(sessionsOf);
  const isComplete = useRows(isCompleteOf);
  const state = useRef<NoticeState | null>(null);
  const [announcement, setAnnouncement] = useState({ count: 0, sentence: '' });
  useEffect(() => {
    if (!isComplete) return;
    const isFirst = state.current === null;
    const notices = collectNotices(state.current, { inbox, sessions });
    state.current = notices.state;
    if (notices.fresh.length > 0) void showNotification(notices.fresh);
    // Close notifications that an earlier page has shown and that no longer apply.
    if (isFirst) void closeNotification((key) => !notices.isCurrent(key));
    else if (notices.gone.length > 0) void closeNotification((key) => notices.gone.includes(key));
    const sentence = announce(notices.fresh, inbox.length);
    if (sentence !== '') setAnnouncement(({ count }) => ({ count: count + 1, sentence }));
  }, [inbox, sessions, isComplete]);
  useEffect(() => {
    if (!('setAppBadge' in navigator)) return;
    // Only an installed app has a badge; otherwise this fails or does nothing.
    const badge = inbox.length > 0 ? navigator.setAppBadge(inbox.length) : navigator.clearAppBadge();
    badge.catch(() => undefined);
  }, [inbox.length]);
  return (
    <div className="hidden-text" role="status" aria-live="polite">
      {/* The changing key makes screen readers announce a repeated sentence. */}
      <span key={announcement.count}>{announcement.sentence}</span>
    </div>
  );
}
