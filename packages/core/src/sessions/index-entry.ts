import type { Session } from '../contract/sessions.ts';
import { listMessagesOnce, sumByDay, type UsageRow } from './usage-rows.ts';

/** So much of a session's prompts, and of its answers, can be searched. */
const SEARCHED_CHARACTERS = 4_000_000;
const SHOWN_CHARACTERS = 300;
/** What is kept of a session that was only half readable. */
const KEPT_FAULTS = 5;

/** What the index keeps of a session. */
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
  faults: string | null;
  usage: UsageRow[];
  texts: { title: string; prompts: string; answers: string };
}

/** `changedAt` stands for the time of a session that tells none. Values of adapters are not believed to have their types. */
export function makeIndexEntry(session: Session, changedAt: number | null): IndexEntry {
  const { messages } = session;
  const all = listMessagesOnce(session);
  const said = (role: string) => {
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
    faults: session.faults?.length ? JSON.stringify(session.faults.slice(0, KEPT_FAULTS)) : null,
    usage: sumByDay(updatedAt === null ? session : { ...session, updatedAt }),
    texts: { title: title ?? '', prompts: said('user'), answers: said('assistant') },
  };
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Control characters find nothing, and mark where words were found. */
function plain(text: string): string {
  return text.replace(CONTROLS, ' ');
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? plain(value) : null;
}

function numberOr(value: unknown, otherwise: number | null): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
