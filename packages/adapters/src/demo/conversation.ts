import { setTimeout as delay } from 'node:timers/promises';
import { demoCost, tokensOf } from './models.ts';
import type { DemoMessage, DemoSession } from './session-store.ts';

/** Delay between two words, at speed 1. */
const WORD_MS = 22;

export type Send = (message: Record<string, unknown>) => void;
export type ApprovalMode = 'prompt' | 'accept-edits' | 'plan' | 'deny' | 'yolo';

/** Thrown inside a scenario when the turn was stopped. */
export class Stopped extends Error {}

/** The tools of a scenario in one turn. Everything that waits gives up when the turn is stopped. */
export class Conversation {
  readonly session: DemoSession;
  readonly prompt: string;
  readonly files: readonly string[];
  readonly approvalMode: ApprovalMode;
  readonly signal: AbortSignal;
  readonly #send: Send;
  readonly #speed: number;
  readonly #waiting: Map<string, (answer: Record<string, unknown>) => void>;
  #said = '';
  #thought = '';
  #calls = 0;

  constructor(given: {
    session: DemoSession;
    prompt: string;
    files: readonly string[];
    approvalMode: ApprovalMode;
    signal: AbortSignal;
    send: Send;
    speed: number;
    /** Resolvers of pending requests, by id. */
    waiting: Map<string, (answer: Record<string, unknown>) => void>;
  }) {
    this.session = given.session;
    this.prompt = given.prompt;
    this.files = given.files;
    this.approvalMode = given.approvalMode;
    this.signal = given.signal;
    this.#send = given.send;
    this.#speed = given.speed;
    this.#waiting = given.waiting;
  }

  async say(text: string, wordMs = WORD_MS * this.#speed): Promise<void> {
    await this.#stream('stdout', text, wordMs, (word) => {
      this.#said += word;
    });
  }

  async think(text: string): Promise<void> {
    await this.#stream('thinking', text, WORD_MS * this.#speed, (word) => {
      this.#thought += word;
    });
  }

  async #stream(channel: string, text: string, wordMs: number, said: (word: string) => void): Promise<void> {
    for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
      await this.pause(wordMs);
      said(word);
      this.emit('output', { channel, content: word });
    }
  }

  async pause(ms: number): Promise<void> {
    if (this.signal.aborted) throw new Stopped();
    if (ms <= 0) return;
    await delay(ms, undefined, { signal: this.signal }).catch(() => {
      throw new Stopped();
    });
  }

  emit(type: string, fields: Record<string, unknown>): void {
    this.#send({ type, ...fields });
  }

  /** A tool call with its result; `work` may throw, and a `Refused` is shown as a denial. */
  async tool<T>(tool: string, input: unknown, work: (toolCallId: string) => Promise<T> | T): Promise<T | undefined> {
    this.#endMessage();
    this.#calls += 1;
    const tool_call_id = `call-${this.session.messages.length}-${this.#calls}`;
    this.emit('tool.start', { tool_call_id, tool, input });
    await this.pause(10 * WORD_MS * this.#speed);
    try {
      const output = await work(tool_call_id);
      this.emit('tool.result', { tool_call_id, output });
      this.#remember({ role: 'tool', text: asText(output), toolCallId: tool_call_id, toolName: tool });
      return output;
    } catch (error) {
      if (error instanceof Stopped) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      this.emit('tool.error', { tool_call_id, error: reason, denied: error instanceof Refused });
      this.#remember({ role: 'tool', text: reason, toolCallId: tool_call_id, toolName: tool });
      return undefined;
    }
  }

  /** Throws when it is not allowed. */
  async permit(request: {
    tool: string;
    kind: 'edit' | 'execute';
    description: string;
    /** The full request, so that the decision is an informed one. */
    input: object;
    tool_call_id: string;
  }): Promise<void> {
    if (this.approvalMode === 'yolo') return;
    if (this.approvalMode === 'accept-edits' && request.kind === 'edit') return;
    const answer = await this.#request('permission.request', request.tool_call_id, request);
    if (answer.approved !== true) {
      throw new Refused(typeof answer.message === 'string' ? `not allowed: ${answer.message}` : 'not allowed');
    }
  }

  /** The chosen labels or the text; undefined if declined. */
  async ask(question: string, options: string[]): Promise<string | undefined> {
    const id = `question-${this.session.messages.length}`;
    const questions = [{ id, question, options: options.map((label) => ({ label })), multiple: false }];
    const answer = await this.#request('question', id, { questions });
    const answers = answer.answers;
    if (typeof answers !== 'object' || answers === null || !(id in answers)) return undefined;
    const chosen: unknown = Object.entries(answers).find(([key]) => key === id)?.[1];
    return Array.isArray(chosen) ? chosen.join(', ') : undefined;
  }

  #request(type: string, request_id: string, fields: object): Promise<Record<string, unknown>> {
    if (this.signal.aborted) throw new Stopped();
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        this.#waiting.delete(request_id);
        this.signal.removeEventListener('abort', stop);
        done();
      };
      const stop = () => settle(() => reject(new Stopped()));
      this.signal.addEventListener('abort', stop);
      this.#waiting.set(request_id, (answer) => {
        if (answer.cancelled === true) stop();
        else settle(() => resolve(answer));
      });
      this.emit(type, { request_id, ...fields });
    });
  }

  /** The usage of the turn, emitted and stored. */
  finish(): void {
    this.#endMessage();
    const spoken = this.session.messages.map(({ text }) => text).join(' ');
    const input_tokens = tokensOf(spoken + this.prompt);
    const output_tokens = tokensOf(this.#thought) + this.#spokenTokens;
    const cost_usd = demoCost(this.session.model, input_tokens, output_tokens);
    this.session.inputTokens += input_tokens;
    this.session.outputTokens += output_tokens;
    this.session.costUsd += cost_usd;
    const { model } = this.session;
    this.emit('usage', { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens, cost_usd, model });
  }

  #spokenTokens = 0;

  /** Text between two tool calls is one message of the session. */
  #endMessage(): void {
    if (this.#said === '') return;
    this.#spokenTokens += tokensOf(this.#said);
    this.#remember({ role: 'assistant', text: this.#said });
    this.#said = '';
  }

  #remember(message: Omit<DemoMessage, 'timestamp'>): void {
    this.session.messages.push({ ...message, timestamp: Date.now() });
  }
}

/** A person or a mode denied it. */
class Refused extends Error {}

function asText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
