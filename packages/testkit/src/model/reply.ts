import { splitText } from './split-text.ts';

export interface ReplyUsage {
  /** Uncached input tokens; APIs that report one total get the sum of the three. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** All output of the model, including reasoning. */
  output: number;
  reasoning: number;
}

export type ReplyPart =
  | { type: 'text'; pieces: readonly string[]; delayMs: number }
  | { type: 'think'; pieces: readonly string[]; delayMs: number }
  | { type: 'tool'; id: string | null; name: string; input: unknown };

export type TextPart = Extract<ReplyPart, { pieces: readonly string[] }>;
export type ToolPart = Extract<ReplyPart, { type: 'tool' }>;

export interface Failure {
  status: number;
  /** null: the vendor's own text for this status. */
  message: string | null;
  retryAfterSeconds: number | null;
  /** null: in the vendor's usual format. */
  body: unknown;
}

/** How an answer ends. `afterChunks` counts deltas of content; null is after all of them, before the closing frames. */
export type Ending = { type: 'complete' } | { type: 'drop' | 'hang'; afterChunks: number | null };

export interface TextOptions {
  /** Number of deltas that the text is split into; 3 by default. */
  chunks?: number;
  /** The pause before each delta. */
  delayMs?: number;
}

export interface StatusOptions {
  message?: string;
  retryAfterSeconds?: number;
  /** The whole answer, instead of the vendor's usual format. */
  body?: unknown;
  headers?: Record<string, string>;
}

interface ReplyFields {
  parts: readonly ReplyPart[];
  failure: Failure | null;
  ending: Ending;
  explicitUsage: Partial<ReplyUsage>;
  extraHeaders: Readonly<Record<string, string>>;
  cutAtLimit: boolean;
}

const DEFAULT_CHUNKS = 3;
/** Different numbers everywhere, so that a field read from the wrong position shows. */
const DEFAULT_USAGE: ReplyUsage = { input: 200, cacheRead: 1000, cacheWrite: 50, output: 34, reasoning: 0 };
const REASONING_WHEN_THINKING = 10;

/** One answer of the model. Immutable: every method gives a new reply, so a part of one can be shared. */
export class Reply {
  readonly fields: ReplyFields;

  constructor(fields: ReplyFields) {
    this.fields = fields;
  }

  text(text: string, options: TextOptions = {}): Reply {
    return this.#part({ type: 'text', ...pieces(text, options) });
  }

  think(text: string, options: TextOptions = {}): Reply {
    return this.#part({ type: 'think', ...pieces(text, options) });
  }

  /** `n` deltas of text, each `size` characters: `c0 xxxx `, `c1 xxxx `, ... */
  chunks(n: number, options: { delayMs?: number; size?: number } = {}): Reply {
    const size = options.size ?? 12;
    const numbered = Array.from({ length: n }, (_, i) => `${`c${i} `.padEnd(size - 1, 'x')} `);
    return this.#part({ type: 'text', pieces: numbered, delayMs: options.delayMs ?? 0 });
  }

  /** A string as input calls a freeform tool (OpenAI Responses); other APIs send it as `{ input }`. */
  toolCall(name: string, input: unknown, options: { id?: string } = {}): Reply {
    return this.#part({ type: 'tool', id: options.id ?? null, name, input });
  }

  /** Answers with an HTTP error in the vendor's format; 400 without a message means that the prompt is too long. */
  status(status: number, options: StatusOptions = {}): Reply {
    const { message = null, retryAfterSeconds = null, body = null } = options;
    const failure = { status, message, retryAfterSeconds, body };
    return this.#with({ failure }).headers(options.headers ?? {});
  }

  /** Cuts the connection: after the content given so far, or after the first `afterChunks` deltas of it. */
  drop(options: { afterChunks?: number } = {}): Reply {
    return this.#with({ ending: { type: 'drop', afterChunks: options.afterChunks ?? null } });
  }

  /** Goes silent and keeps the connection open; without content not even the response headers are sent. */
  hang(options: { afterChunks?: number } = {}): Reply {
    return this.#with({ ending: { type: 'hang', afterChunks: options.afterChunks ?? null } });
  }

  usage(usage: Partial<ReplyUsage>): Reply {
    return this.#with({ explicitUsage: { ...this.fields.explicitUsage, ...usage } });
  }

  headers(headers: Record<string, string>): Reply {
    return this.#with({ extraHeaders: { ...this.fields.extraHeaders, ...headers } });
  }

  /** The answer ends because the limit of output tokens was reached. */
  atLimit(): Reply {
    return this.#with({ cutAtLimit: true });
  }

  get stopReason(): 'end' | 'tool' | 'limit' {
    if (this.fields.cutAtLimit) return 'limit';
    return this.fields.parts.some((part) => part.type === 'tool') ? 'tool' : 'end';
  }

  get tokens(): ReplyUsage {
    const thinks = this.fields.parts.some((part) => part.type === 'think');
    const reasoning = thinks ? REASONING_WHEN_THINKING : 0;
    return { ...DEFAULT_USAGE, reasoning, ...this.fields.explicitUsage };
  }

  #part(part: ReplyPart): Reply {
    return this.#with({ parts: [...this.fields.parts, part] });
  }

  #with(change: Partial<ReplyFields>): Reply {
    return new Reply({ ...this.fields, ...change });
  }
}

/** The empty answer, from which all others are built: `reply.think('hm').text('yes')`. */
export const reply = new Reply({
  parts: [],
  failure: null,
  ending: { type: 'complete' },
  explicitUsage: {},
  extraHeaders: {},
  cutAtLimit: false,
});

function pieces(text: string, options: TextOptions): { pieces: readonly string[]; delayMs: number } {
  return { pieces: splitText(text, options.chunks ?? DEFAULT_CHUNKS), delayMs: options.delayMs ?? 0 };
}

export const wholeText = (part: TextPart): string => part.pieces.join('');

/** The arguments of a call for an API that supports only objects. */
export function toolArguments(part: ToolPart): unknown {
  return typeof part.input === 'string' ? { input: part.input } : part.input;
}
