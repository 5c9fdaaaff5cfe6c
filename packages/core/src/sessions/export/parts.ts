import type { Session, SessionMessage, SessionToolCall } from '../../contract/sessions.ts';
import { toJson } from '../../values.ts';

export const SPEAKERS: Readonly<Record<SessionMessage['role'], string>> = {
  user: 'User',
  assistant: 'Assistant',
  system: 'Note',
};

export function titleOf({ title, messages, agent }: Session): string {
  const prompt = messages.find(({ role }) => role === 'user')?.text;
  const text = (title ?? prompt ?? '').replace(/\s+/g, ' ').trim();
  return text === '' ? `Session of ${agent}` : text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Names and values, in display order. */
export function factsOf(session: Session): [name: string, value: string][] {
  const { usage, costUsd } = session;
  const facts: [string, string | undefined][] = [
    ['Agent', session.agent],
    ['Session', session.sessionId],
    ['Continues', session.parentSessionId],
    ['Folder', session.cwd],
    ['Model', session.model],
    ['Started', timeOf(session.createdAt)],
    ['Last active', timeOf(session.updatedAt)],
    ['Tokens', usage ? `${usage.inputTokens ?? '?'} in, ${usage.outputTokens ?? '?'} out` : undefined],
    ['Cost', typeof costUsd === 'number' ? `$${costUsd.toFixed(4)}` : undefined],
    ['Not readable', session.warnings?.length ? session.warnings.join('; ') : undefined],
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]]));
}

export function timeOf(time: number | undefined): string | undefined {
  if (time === undefined) return undefined;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('T', ' ').slice(0, 19);
}

export function inputOf({ input }: SessionToolCall): string {
  if (input === null || input === undefined) return '';
  return typeof input === 'string' ? input : toJson(input, 2);
}

/** The messages of a branch that the active one does not share. */
export function tailsOf({ messages, branches = [] }: Session): { id: string; messages: readonly SessionMessage[] }[] {
  return branches
    .filter(({ active }) => !active)
    .map((branch) => {
      const parted = branch.messages.findIndex((message, at) => {
        const same = messages[at];
        return !same || message.role !== same.role || message.text !== same.text || message.id !== same.id;
      });
      return { id: branch.id, messages: parted === -1 ? [] : branch.messages.slice(parted) };
    })
    .filter((tail) => tail.messages.length > 0);
}

/** Removes control characters and those that reorder text. */
export function withoutControls(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '');
}
