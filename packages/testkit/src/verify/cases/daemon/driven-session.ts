import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { AgentMuxError } from '@agent-mux/core';
import { waitFor } from '../../../chaos/drive/wait.ts';
import type { ModelRequest } from '../../../model/index.ts';
import type { Bench } from '../../bench.ts';
import type { MessageRow, RequestRow, SessionClient, SessionRow } from '../../carrier/session-client.ts';

const WAIT_MS = 90_000;
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'unknown', 'dismissed']);

export interface StartOptions {
  cwd?: string;
  approvalMode?: string;
  worktree?: boolean;
}

/** One session of the daemon, driven through its client as a program would. */
export class DrivenSession {
  readonly id: string;
  readonly #bench: Bench;

  constructor(bench: Bench, id: string) {
    this.#bench = bench;
    this.id = id;
  }

  /** Creates a session with a first question. Returns when it has been answered. */
  static async start(bench: Bench, name: string, options: StartOptions = {}): Promise<DrivenSession> {
    const { session, messageId } = await DrivenSession.create(bench, question(name), options);
    await session.done(messageId);
    return session;
  }

  static async create(
    bench: Bench,
    prompt: string,
    { cwd = bench.cwd, approvalMode = bench.freeMode, worktree = false }: StartOptions = {},
  ): Promise<{ session: DrivenSession; messageId: string }> {
    const { supportsModelSelection } = bench.capabilities;
    const messageId = randomUUID();
    const { id } = await bench.daemon.client.sessions.create({
      ...{ agent: bench.agent, cwd, prompt, messageId, worktree },
      options: {
        mode: bench.mode.name,
        approvalMode,
        ...(supportsModelSelection ? { model: bench.setup.model.name } : {}),
      },
      env: { ...bench.runEnv },
      hostEnv: { ...bench.env },
    });
    return { session: new DrivenSession(bench, id), messageId };
  }

  get calls(): SessionClient['sessions'] {
    return this.#bench.daemon.client.sessions;
  }

  get #limitMs(): number {
    return WAIT_MS * (this.#bench.setup.patience ?? 1);
  }

  row(): Promise<SessionRow> {
    return this.calls.get(this.id);
  }

  async send(text: string): Promise<string> {
    const { id } = await this.calls.send(this.id, { id: randomUUID(), text });
    return id;
  }

  /** Sends a question and waits for its answer. */
  async ask(name: string): Promise<void> {
    await this.done(await this.send(question(name)));
  }

  /** The turn of this message has ended well. */
  async done(messageId: string): Promise<void> {
    const { state, text, error } = await this.ended(messageId);
    assert.equal(state, 'completed', `the message "${text.slice(0, 60)}" is ${state}: ${JSON.stringify(error)}`);
  }

  async ended(messageId: string): Promise<MessageRow> {
    return this.until('the message has ended', async () => {
      const message = await this.message(messageId);
      return ENDED.has(message.state) && message;
    });
  }

  async message(messageId: string): Promise<MessageRow> {
    const found = (await this.calls.messages(this.id)).find(({ id }) => id === messageId);
    assert.ok(found, `message ${messageId} is not in the list of messages`);
    return found;
  }

  async parked(): Promise<void> {
    await this.until('the session is parked and its keeper has ended', async () => {
      const { parked, keeperPid } = await this.row();
      return parked && keeperPid === null;
    });
  }

  async openRequests(): Promise<RequestRow[]> {
    return (await this.#bench.daemon.client.requests.list({ state: 'open', sessionId: this.id })).requests;
  }

  async deny({ id }: RequestRow): Promise<void> {
    await this.#bench.daemon.client.requests.answer(id, { decision: 'deny' });
  }

  /** The text of all its answers so far. */
  async text(): Promise<string> {
    let text = '';
    for (let after = -1; ; ) {
      const { events } = await this.calls.events(this.id, { after });
      if (events.length === 0) return text;
      for (const event of events) text += event.type === 'text_delta' ? (event.delta ?? '') : '';
      after = events.at(-1)!.seq;
    }
  }

  /** Waits for a condition; a failure says what the session and its messages look like then. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    try {
      return await waitFor(what, this.#limitMs, look);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}; ${await this.describe()}`);
    }
  }

  async describe(): Promise<string> {
    const { activity, parked, isTerminated, keeperPid, error } = await this.row();
    const messages = (await this.calls.messages(this.id)).map(({ text, state }) => `${state}: ${text.slice(0, 30)}`);
    return JSON.stringify({ activity, parked, isTerminated, keeperPid, error, messages });
  }
}

export const question = (name: string): string => `Question ${name}: what comes next?`;
export const answer = (name: string): string => `Answer ${name} is given.`;

/** Answers the newest question by its name. */
export function answerByName({ prompt }: ModelRequest): string {
  return answer([...prompt.matchAll(/Question (\w+):/g)].at(-1)?.[1] ?? 'unnamed');
}

/** What the model got when it was asked this question for the first time. */
export function requestOf(bench: Bench, name: string): ModelRequest | undefined {
  return bench.requests.find(({ prompt, step }) => step === 0 && prompt.includes(`Question ${name}:`));
}

/** The question was part of one conversation with these questions and answers, and with none of the others. */
export function assertKnows(
  bench: Bench,
  name: string,
  known: readonly string[],
  others: readonly string[] = [],
): void {
  const request = requestOf(bench, name);
  assert.ok(request, `the model never got question ${name}`);
  const text = request.messages.map((message) => message.text).join('\n');
  for (const one of known) {
    assert.ok(text.includes(question(one)), `with question ${name} the model did not get question ${one}`);
    assert.ok(text.includes(answer(one)), `with question ${name} the model did not get answer ${one}`);
  }
  for (const one of others)
    assert.ok(
      !text.includes(`Question ${one}:`),
      `with question ${name} the model got question ${one} of another session`,
    );
}

/** It returns to a conversation by the agent's session id. */
export function canReturn({ capabilities }: Bench): boolean {
  return capabilities.canResume && capabilities.nativeSessionIds;
}

/**
 * For an agent that cannot return to a conversation: the message is part of the same conversation, or it is refused
 * with a reason. It never silently starts a new conversation.
 */
export async function continuesOrRefuses(
  bench: Bench,
  session: DrivenSession,
  { name, known, before }: { name: string; known: readonly string[]; before?: () => Promise<unknown> },
): Promise<void> {
  const refusal = await refusalOf(async () => {
    await before?.();
    const { state, error } = await session.ended(await session.send(question(name)));
    if (state !== 'completed') throw new AgentMuxError('AGENT_ERROR', `${state}: ${error?.message ?? ''}`);
  });
  if (refusal === undefined) return assertKnows(bench, name, known);
  assert.ok(refusal.length > 10, `it is refused without a reason: "${refusal}"`);
  assert.equal(requestOf(bench, name), undefined, `it is refused (${refusal}), and yet the model was asked`);
}

/** Why this is refused; undefined: it is not. */
export async function refusalOf(act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await act();
  } catch (error) {
    if (error instanceof AgentMuxError) return error.message;
    throw error;
  }
  return undefined;
}
