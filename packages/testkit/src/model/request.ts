/** The wire APIs that the model supports. */
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
  /** Only if the API has a field for it: Anthropic and Gemini. */
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

/** The content of a request, in the same form for every API. */
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

/** Purpose of a request: `main` is the user's own turn, the CLI makes all others on its own. */
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

/** A request that needs no answer of the model: token counts, model lists, unknown paths. */
export interface OtherRequest {
  method: string;
  path: string;
  status: number;
}

/** A body that is not a request of its API; the reason names the invalid field. */
export interface Malformed {
  malformed: string;
}

export function message(role: ModelMessage['role'], fields: Partial<ModelMessage> = {}): ModelMessage {
  return { role, text: '', toolCalls: [], toolResults: [], images: 0, ...fields };
}
