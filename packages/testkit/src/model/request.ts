/** The wire APIs that the model speaks. */
export type ModelApi = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

export interface ModelToolCall {
  id: string;
  name: string;
  /** Parsed arguments; a string for a freeform tool, or when the arguments were not JSON. */
  input: unknown;
}

export interface ModelToolResult {
  id: string;
  output: string;
  /** Only where the API has a word for it: Anthropic and Gemini. */
  isError: boolean;
}

export interface ModelMessage {
  /** `tool` is a message that carries tool results and no text. */
  role: 'user' | 'assistant' | 'system' | 'tool';
  text: string;
  toolCalls: ModelToolCall[];
  toolResults: ModelToolResult[];
  images: number;
}

/** What a request says, in the same words for every API. */
export interface Conversation {
  model: string;
  /** The system prompt: its own field, or the system messages that come before any other. */
  system: string;
  messages: ModelMessage[];
  tools: string[];
  stream: boolean;
  effort: string | null;
  thinking: unknown;
}

/** Why a CLI made a request: `main` is the user's own turn, all else it makes by itself. */
export type Purpose = 'main' | 'title' | 'summary' | 'router' | 'memory' | 'classifier';

/** One request for an answer, as logged. Plain data. */
export interface ModelRequest extends Conversation {
  index: number;
  api: ModelApi;
  path: string;
  /** The newest text of the user, without what the CLI added to it. */
  prompt: string;
  /** 0 for the first input of the user in this conversation, 1 for the next. */
  turn: number;
  /** How often the model has already answered since `prompt`: 0 for the first request of a turn. */
  step: number;
  /** The tool results that came in since `prompt`. */
  toolResults: ModelToolResult[];
  auxiliary: boolean;
  purpose: Purpose;
  /** Why the request was refused with 400, or null. */
  malformed: string | null;
  /** Secrets are redacted. */
  headers: Record<string, string>;
  body: unknown;
}

/** A request that asks for no answer of the model: token counts, model lists, paths that are not known. */
export interface OtherRequest {
  method: string;
  path: string;
  status: number;
}

/** A body that is not a request of its API; the reason is in the words of the field that is wrong. */
export interface Malformed {
  malformed: string;
}

export function message(role: ModelMessage['role'], fields: Partial<ModelMessage> = {}): ModelMessage {
  return { role, text: '', toolCalls: [], toolResults: [], images: 0, ...fields };
}
