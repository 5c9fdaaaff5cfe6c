import type { TokenUsage } from '../contract/events.ts';
import type { SessionMessage, SessionPart, SessionToolCall } from '../contract/sessions.ts';
import { isPlainOrder } from './message-parts.ts';

type Facts = Pick<SessionMessage, 'id' | 'timestamp' | 'model' | 'usage' | 'costUsd'>;
type Message = Omit<SessionMessage, 'parts' | 'toolCalls'>;
type Draft = { -readonly [Key in keyof Message]: Message[Key] } & { toolCalls?: SessionToolCall[] };

/** Builds a conversation from the records of a store, in their order. Results find their calls by id. */
export class Transcript {
  readonly #messages: Draft[] = [];
  readonly #calls = new Map<string, SessionToolCall>();
  readonly #parts = new Map<Draft, SessionPart[]>();

  user(text: string, facts: Facts = {}): void {
    this.#start('user', text, facts);
  }

  /** A note of the agent in the conversation: a compaction, a change of model. */
  note(text: string, facts: Facts = {}): void {
    this.#start('system', text, facts);
  }

  /** Continues the current answer if `facts.id` is the same, and starts a new one otherwise. */
  assistant(part: { text?: string; thinking?: string }, facts: Facts = {}): void {
    const message = this.#answer(facts);
    message.text += part.text ?? '';
    if (part.thinking) message.thinking = (message.thinking ?? '') + part.thinking;
    this.#addText(message, 'thinking', part.thinking);
    this.#addText(message, 'text', part.text);
  }

  toolCall(call: Pick<SessionToolCall, 'toolCallId' | 'toolName' | 'input'>, facts: Facts = {}): void {
    const stored: SessionToolCall = { ...call };
    const message = this.#answer(facts);
    message.toolCalls = [...(message.toolCalls ?? []), stored];
    this.#partsOf(message).push({ type: 'tool', toolCallId: call.toolCallId });
    this.#calls.set(call.toolCallId, stored);
  }

  /** Drops the result of an unknown call. */
  toolResult(toolCallId: string, output: string, isError = false): void {
    const call = this.#calls.get(toolCallId);
    if (!call) return;
    call.output = output;
    if (isError) call.isError = true;
  }

  get messages(): readonly SessionMessage[] {
    return this.#messages
      .filter(({ text, thinking, toolCalls }) => text !== '' || thinking || toolCalls)
      .map((message): SessionMessage => {
        const parts = this.#parts.get(message) ?? [];
        return isPlainOrder(parts) ? message : { ...message, parts };
      });
  }

  /** Sum of the usage of all messages; undefined if none has any. */
  get usage(): TokenUsage | undefined {
    return sumUsage(this.#messages.map(({ usage }) => usage));
  }

  /** Sum of the costs of all messages; undefined if none has any. */
  get costUsd(): number | undefined {
    const known = this.#messages.map(({ costUsd }) => costUsd).filter((cost) => typeof cost === 'number');
    return known.length === 0 ? undefined : known.reduce((sum, cost) => sum + cost, 0);
  }

  #partsOf(message: Draft): SessionPart[] {
    const parts = this.#parts.get(message) ?? [];
    this.#parts.set(message, parts);
    return parts;
  }

  /** Text that follows text of the same kind is merged into one part. */
  #addText(message: Draft, type: 'text' | 'thinking', text = ''): void {
    if (text === '') return;
    const parts = this.#partsOf(message);
    const last = parts.at(-1);
    if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + text };
    else parts.push({ type, text: text });
  }

  #start(role: SessionMessage['role'], text: string, facts: Facts): Draft {
    const message: Draft = { role, text, ...dropGaps(facts) };
    this.#messages.push(message);
    return message;
  }

  #answer(facts: Facts): Draft {
    const last = this.#messages.at(-1);
    const continues = last?.role === 'assistant' && (facts.id === undefined || last.id === facts.id);
    return continues ? Object.assign(last, dropGaps(facts)) : this.#start('assistant', '', facts);
  }
}

export function sumUsage(usages: readonly (TokenUsage | undefined)[]): TokenUsage | undefined {
  const known = usages.filter((usage) => usage !== undefined);
  if (known.length < 2) return known[0];
  const sum = (key: keyof TokenUsage) => {
    const counts = known.map((usage) => usage[key]).filter((count) => count !== null);
    return counts.length === 0 ? null : counts.reduce((total, count) => total + count, 0);
  };
  return {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheCreationTokens: sum('cacheCreationTokens'),
    totalTokens: sum('totalTokens'),
  };
}

function dropGaps(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
