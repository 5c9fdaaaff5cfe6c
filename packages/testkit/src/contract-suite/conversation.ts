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
  /** What the agent answers to each thing that is said. */
  peer?: (said: unknown) => readonly unknown[];
  /** What the agent says by itself, after the first turn was sent. */
  messages?: readonly unknown[];
  /** Turns are only sent once there is a session. */
  sessionFirst?: boolean;
  inputs?: readonly TurnInput[];
  /** Every request is answered with it as soon as it is made. */
  answer?: RequestAnswer;
  /** Takes the state through JSON after each message. */
  storeState?: boolean;
}

/** Enough for any handshake; a peer that answers its own answers would never end. */
const MOST_ANSWERS = 500;

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
    this.say(codec.hello(this.state));
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
        if (this.#answers <= MOST_ANSWERS) this.hear(answer);
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

  /** For codecs that make something of it. */
  #fallSilent(): void {
    if (this.#codec.quietMs?.(this.state) === undefined || !this.#codec.quiet) return;
    this.#take(this.#codec.quiet(this.state, false));
    this.#take(this.#codec.quiet(this.state, true));
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
    if (this.#turnActive || (this.#options.sessionFirst && !this.#started)) return;
    const input = this.#inputs.shift();
    if (input) this.send(input);
  }
}

/** As the engine hands it to a codec: pictures are read. */
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
