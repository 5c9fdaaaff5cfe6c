import '../../styles/session.css';
import '../../styles/conversation.css';
import '../../styles/markdown.css';
import '../../styles/code.css';
import type { Session } from '@agent-mux/api/browser';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { titleOf } from '../../components/labels.logic.ts';
import { Empty } from '../../components/primitives.tsx';
import { Link } from '../../components/router.tsx';
import { useConversation } from '../../data/conversation.ts';
import { useInherited } from '../../data/inherited.ts';
import { useRows } from '../../data/rows.ts';
import type { Conversation } from '../../data/session.logic.ts';
import { useKeys } from '../../shell/keys.ts';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import { focusComposer } from './focus-composer.ts';
import { SessionHeader } from './session-header.tsx';
import { SessionTabs, useView } from './session-tabs.tsx';

const ChangesView = lazy(async () => ({ default: (await import('./changes/changes-view.tsx')).ChangesView }));
const EventsView = lazy(async () => ({ default: (await import('./events/events-view.tsx')).EventsView }));
const TerminalView = lazy(async () => ({ default: (await import('./terminal/terminal-view.tsx')).TerminalView }));

export function SessionPage({ params: { id = '' } }: { params: Readonly<Record<string, string>> }) {
  const session = useRows((rows) => rows.sessions.get(id));
  const areRowsLoaded = useRows((rows) => rows.isLoaded);
  const { conversation, isLoaded, error } = useConversation(id);
  const title = session ? titleOf(session) : 'Session';
  useEffect(() => {
    document.title = `${title} · agent-mux`;
  }, [title]);
  useKeys([{ keys: 'm', label: 'Write a message', group: 'Session', run: focusComposer }]);
  if (!session && (error || areRowsLoaded)) {
    return (
      <Empty title="Session not found">
        <p className="muted">{error?.message ?? 'It was deleted, or the link is wrong.'}</p>
        <p>
          <Link className="text-link" href="/sessions">
            All sessions
          </Link>
        </p>
      </Empty>
    );
  }
  if (!session) return <p className="loading">Loading…</p>;
  return <Shown key={id} session={session} conversation={conversation} isLoaded={isLoaded} />;
}

interface ShownProps {
  session: Session;
  conversation: Conversation;
  isLoaded: boolean;
}

function Shown({ session, conversation, isLoaded }: ShownProps) {
  const [view, setView] = useView(session);
  const inherited = useInherited(session, conversation.items[0]?.time ?? null, isLoaded);
  const whole = useMemo(
    () =>
      inherited.items.length === 0
        ? conversation
        : { ...conversation, items: [...inherited.items, ...conversation.items] },
    [inherited.items, conversation],
  );
  return (
    <div className="session">
      <SessionHeader session={session} conversation={conversation} />
      <SessionTabs view={view} onView={setView} />
      <div id="session-view" className="session-view" role="tabpanel" aria-labelledby={`tab-${view}`}>
        <Suspense fallback={<p className="loading">Loading…</p>}>
          {view === 'changes' ? <ChangesView session={session} /> : null}
          {view === 'terminal' ? <TerminalView session={session} /> : null}
          {view === 'events' ? <EventsView session={session} /> : null}
          {view === 'conversation' ? (
            <>
              {isLoaded && inherited.isLoaded ? (
                <ConversationView id={session.id} conversation={whole} />
              ) : (
                <p className="loading">Loading…</p>
              )}
              {session.origin === 'terminal' && !session.isTerminated ? (
                <p className="between">This session runs in a terminal. Type there.</p>
              ) : (
                <Composer session={session} />
              )}
            </>
          ) : null}
        </Suspense>
      </div>
    </div>
  );
}
