import { readFileSync } from 'node:fs';
import {
  type EventBody,
  isImage,
  type PendingRequest,
  type RequestAnswer,
  type ResolvedRunOptions,
  type TurnInput,
} from '@agent-mux/core';
import { REPLAY_NOW } from '../replay/resolved-options.ts';
import type { AnyCodec } from './subject.ts';

export interface ConversationOptions {
  /** The agent's answers to each message. */
  peer?: (said: unknown) => readonly unknown[];
  /** Messages that the agent sends on its own, after the first turn was sent. */
  messages?: readonly unknown[];
  /** Turns are only sent once there is a session. */
  waitForSession?: boolean;
  inputs?: readonly TurnInput[];
  /** The answer to every request as soon as it is made. */
  answer?: RequestAnswer;
  /** Takes the state through JSON after each message. */
  storeState?: boolean;
}

/** Enough for any handshake; a peer that answers its own answers would never end. */
const MAX_ANSWERS = 500;

/** A run's conversation over any transport, without the transport. */
export class Conversation {
  readonly said: unknown[] = [];
  readonly events: EventBody[] = [];
  state: object;
  readonly #codec: AnyCodec;
  readonly #options: ConversationOptions;
  readonly #inputs: TurnInput[];
  #answers = 0;
  #started = false;
  #turnActive = false;

  constructor(codec: AnyCodec, run: ResolvedRunOptions, options: ConversationOptions = {}) {
    this.#codec = codec;
    this.#options = options;
    this.#inputs = [...(options.inputs ?? [])];
    this.state = codec.open(run);
    this.say(codec.handshake(this.state));
    this.#nextTurn();
    for (const message of options.messages ?? []) this.hear(message);
    this.#fallSilent();
  }

  get turnActive(): boolean {
    return this.#turnActive;
  }

  say(messages: readonly unknown[]): void {
    for (const message of messages) {
      this.said.push(message);
      for (const answer of this.#options.peer?.(message) ?? []) {
        this.#answers += 1;
        if (this.#answers <= MAX_ANSWERS) this.hear(answer);
      }
    }
  }

  hear(message: unknown): void {
    const context = {
      now: REPLAY_NOW,
      turnActive: this.#turnActive,
    };
    this.#take(this.#codec.decode(message, this.state, context));
  }

  /** For codecs that use it. */
  #fallSilent(): void {
    if (this.#codec.idleMs?.(this.state) === undefined || !this.#codec.onIdle) return;
    this.#take(this.#codec.onIdle(this.state, false));
    this.#take(this.#codec.onIdle(this.state, true));
  }

  #take({ events, replies = [] }: ReturnType<AnyCodec['decode']>): void {
    if (this.#options.storeState) this.state = JSON.parse(JSON.stringify(this.state));
    this.say(replies);
    for (const event of events) this.#note(event);
    this.#nextTurn();
  }

  send(input: TurnInput): void {
    this.#turnActive = true;
    this.say(this.#codec.turn(input, this.state));
  }

  #note(event: EventBody): void {
    this.events.push(event);
    const { answer } = this.#options;
    if (event.type === 'session_start') this.#started = true;
    else if (event.type === 'turn_start') this.#turnActive = true;
    else if (event.type === 'turn_end') this.#turnActive = false;
    const request = requestOf(event);
    if (request && answer) this.say(this.#codec.resolve(request, answer, this.state));
  }

  #nextTurn(): void {
    if (this.#turnActive || (this.#options.waitForSession && !this.#started)) return;
    const input = this.#inputs.shift();
    if (input) this.send(input);
  }
}

/** In the format that the engine passes to a codec: images are loaded. */
export function turnInput({ prompt, attachments }: Pick<ResolvedRunOptions, 'prompt' | 'attachments'>): TurnInput {
  return {
    text: prompt,
    attachments: attachments.map((file) =>
      isImage(file.mimeType) ? { ...file, base64: readFileSync(file.path).toString('base64') } : file,
    ),
  };
}

function requestOf(event: EventBody): PendingRequest | undefined {
  if (event.type === 'input_required') return { kind: 'input', requestId: event.requestId };
  if (event.type !== 'approval_request') return undefined;
  const { requestId, toolName, options } = event;
  return { kind: 'approval', requestId, toolName, options };
}
