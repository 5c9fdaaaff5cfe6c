import '../../styles/session.css';
import '../../styles/conversation.css';
import '../../styles/markdown.css';
import { useEffect } from 'react';
import { useConversation } from '../../data/conversation.ts';
import { useRows } from '../../data/rows.ts';
import { Link } from '../../parts/router.tsx';
import { Empty } from '../../parts/small.tsx';
import { titleOf } from '../../parts/words.logic.ts';
import { useKeys } from '../../shell/keys.ts';
import { Composer } from './composer.tsx';
import { SessionHeader } from './session-header.tsx';
import { Transcript } from './transcript.tsx';

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
      <Empty title="This session is not here">
        <p className="muted">{error?.message ?? 'It was removed, or its id is another.'}</p>
        <p>
          <Link className="text-link" href="/sessions">
            All sessions
          </Link>
        </p>
      </Empty>
    );
  }
  if (!session) return <p className="loading">Loading…</p>;
  return (
    <div className="session">
      <SessionHeader session={session} conversation={conversation} />
      {isLoaded ? <Transcript key={id} id={id} conversation={conversation} /> : <p className="loading">Loading…</p>}
      <Composer key={id} session={session} />
    </div>
  );
}

function focusComposer(): void {
  document.querySelector<HTMLTextAreaElement>('.composer textarea')?.focus();
}
