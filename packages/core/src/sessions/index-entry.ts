import type { Session } from '../contract/sessions.ts';
import { listMessagesOnce, sumByDay, type UsageRow } from './usage-rows.ts';

/** Maximum characters of a session's prompts, and of its answers, that can be searched. */
const SEARCHED_CHARACTERS = 4_000_000;
const SHOWN_CHARACTERS = 300;
/** Maximum number of stored warnings of a partly readable session. */
const MAX_WARNINGS = 5;

/** What the index stores of a session. */
export interface IndexEntry {
  sessionId: string;
  title: string | null;
  firstPrompt: string | null;
  cwd: string | null;
  model: string | null;
  createdAt: number | null;
  updatedAt: number | null;
  parentId: string | null;
  messages: number;
  toolCalls: number;
  warnings: string | null;
  usage: UsageRow[];
  texts: { title: string; prompts: string; answers: string };
}

/** `changedAt` is the fallback for a session without times. Values of adapters may not have their declared types. */
export function createIndexEntry(session: Session, changedAt: number | null): IndexEntry {
  const { messages } = session;
  const all = listMessagesOnce(session);
  const textOfRole = (role: string) => {
    const texts: string[] = [];
    let length = 0;
    for (const message of all) {
      if (message.role !== role || length >= SEARCHED_CHARACTERS) continue;
      texts.push(message.text.slice(0, SEARCHED_CHARACTERS - length));
      length += message.text.length + 2;
    }
    return plain(texts.join('\n\n'));
  };
  const last = messages.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp;
  const updatedAt = numberOr(session.updatedAt ?? last ?? session.createdAt, changedAt);
  const title = textOr(session.title);
  const firstPrompt = textOr(messages.find(({ role, text }) => role === 'user' && text.trim() !== '')?.text);
  if (typeof session.sessionId !== 'string' || session.sessionId === '') throw new Error('it has no id');
  return {
    sessionId: session.sessionId,
    title: title?.slice(0, SHOWN_CHARACTERS) ?? null,
    firstPrompt: firstPrompt?.slice(0, SHOWN_CHARACTERS) ?? null,
    cwd: textOr(session.cwd),
    model: textOr(session.model),
    createdAt: numberOr(session.createdAt, null),
    updatedAt,
    parentId: textOr(session.parentSessionId),
    messages: messages.length,
    toolCalls: messages.reduce((count, { toolCalls }) => count + (toolCalls?.length ?? 0), 0),
    warnings: session.warnings?.length ? JSON.stringify(session.warnings.slice(0, MAX_WARNINGS)) : null,
    usage: sumByDay(updatedAt === null ? session : { ...session, updatedAt }),
    texts: { title: title ?? '', prompts: textOfRole('user'), answers: textOfRole('assistant') },
  };
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Control characters match nothing, and mark search hits. */
function plain(text: string): string {
  return text.replace(CONTROLS, ' ');
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? plain(value) : null;
}

function numberOr(value: unknown, otherwise: number | null): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
