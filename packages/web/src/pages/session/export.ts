import type { Session, SessionEvent } from '@agent-mux/api/browser';
import { call } from '../../data/call.ts';
import type { Conversation } from '../../data/session.logic.ts';
import { tellFault } from '../../parts/toasts.tsx';
import { titleOf } from '../../parts/words.logic.ts';
import { toMarkdown } from './markdown.logic.ts';

/** What is seen, as text; or all that has happened, a line of JSON for each event. */
export async function exportConversation(
  session: Session,
  conversation: Conversation,
  form: 'markdown' | 'events',
): Promise<void> {
  try {
    if (form === 'markdown')
      save(`${session.id}.md`, 'text/markdown', toMarkdown(titleOf(session), conversation.items));
    else save(`${session.id}.jsonl`, 'application/jsonl', await readAll(session.id));
  } catch (error) {
    tellFault(error);
  }
}

async function readAll(id: string): Promise<string> {
  const lines: string[] = [];
  for (let after = -1, more = true; more; ) {
    const page = await call('readEvents', { params: { id }, query: { after, limit: 10_000 } });
    lines.push(...page.events.map((event: Pick<SessionEvent, 'seq'>) => JSON.stringify(event)));
    after = page.last;
    more = page.more;
  }
  return `${lines.join('\n')}\n`;
}

function save(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
