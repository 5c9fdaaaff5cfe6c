import type { Session, SessionEvent } from '@agent-mux/api/browser';
import { titleOf } from '../../components/labels.logic.ts';
import { showErrorToast } from '../../components/toasts.tsx';
import { call } from '../../data/call.ts';
import type { Conversation } from '../../data/session.logic.ts';
import { toMarkdown } from './markdown.logic.ts';

/** Downloads the visible conversation as Markdown, or all events as JSON lines. */
export async function exportConversation(
  session: Session,
  conversation: Conversation,
  format: 'markdown' | 'events',
): Promise<void> {
  try {
    if (format === 'markdown')
      save(`${session.id}.md`, 'text/markdown', toMarkdown(titleOf(session), conversation.items));
    else save(`${session.id}.jsonl`, 'application/jsonl', await readAll(session.id));
  } catch (error) {
    showErrorToast(error);
  }
}

async function readAll(id: string): Promise<string> {
  const lines: string[] = [];
  for (let after = -1, more = true; more; ) {
    const page = await call('listEvents', { params: { id }, query: { after, limit: 10_000 } });
    lines.push(...page.events.map((event: Pick<SessionEvent, 'seq'>) => JSON.stringify(event)));
    after = page.lastSeq;
    more = page.hasMore;
  }
  return `${lines.join('\n')}\n`;
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
