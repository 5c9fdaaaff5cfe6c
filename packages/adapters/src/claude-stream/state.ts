import type { Failure } from '../shared/failures.ts';
import { type Counts, NO_COUNTS } from './usage.ts';

/** The key of what the main conversation says; a subagent's is the id of the tool call that started it. */
export const MAIN = '';

interface OpenBlock {
  kind: 'text' | 'thinking' | 'tool' | 'other';
  toolCallId?: string;
}

export interface OpenMessage {
  id: string;
  model?: string;
  /** Announced by `message_start`; otherwise known from whole `assistant` lines alone. */
  streamed: boolean;
  /** `finished`: the model has said why it stops. `cut off`: it stopped without a reason. */
  end?: 'finished' | 'cut off';
  usage: Counts;
  tier?: string;
  /** By content block index. */
  blocks: Record<string, OpenBlock>;
  /** Text that an `assistant` line has confirmed, so that it survives when later blocks are abandoned. */
  confirmed: string;
}

export interface OpenTool {
  name: string;
  /** Pieces of the input, until the whole of it is known. */
  json: string;
  ready: boolean;
  parent?: string;
  /** The file that the call changes if it succeeds. */
  path?: string;
}

/** A request of the agent that somebody has to answer. */
export interface OpenAsk {
  kind: 'approval' | 'input';
  toolName: string;
  input: Record<string, unknown>;
  suggestions: Record<string, unknown>[];
  toolCallId?: string;
}

/** Everything that decoding one process needs to remember; survives JSON. */
export interface StreamState {
  sessionId?: string;
  announced: boolean;
  /** Open messages, and the id of the last streamed one, by conversation. */
  messages: Record<string, OpenMessage>;
  lastStreamed: Record<string, string>;
  tools: Record<string, OpenTool>;
  subagents: Record<string, string>;
  denied: Record<string, string>;
  asks: Record<string, OpenAsk>;
  /** What was already said in `cost` events since the last result. */
  counted: Counts;
  /** The last running total of a dialect that has no per-turn figures. */
  totals: { counts: Counts; costUsd: number };
  /** The process goes on with a session that was there before, and running totals may hold what that has cost. */
  resumes: boolean;
  greeting?: Record<string, unknown>;
  failure?: Failure;
  limitResetsAt?: number;
  limitSaid: boolean;
  /** The login was refused and the agent goes on trying: told already, and worth stopping. */
  loginRefused: 'no' | 'told' | 'stopping';
  /** Requests that we sent, by id: what they were. */
  sent: Record<string, string>;
  sentCount: number;
  inputCount: number;
  /** Steering inputs that the agent holds but has not begun with. */
  steering: string[];
  /** Makes input ids unique across processes that resume one session. */
  idSeed: string;
}

export function openState(idSeed = '', resumes = false): StreamState {
  return {
    announced: false,
    messages: {},
    lastStreamed: {},
    tools: {},
    subagents: {},
    denied: {},
    asks: {},
    counted: { ...NO_COUNTS },
    totals: { counts: { ...NO_COUNTS }, costUsd: 0 },
    resumes,
    limitSaid: false,
    loginRefused: 'no',
    sent: {},
    sentCount: 0,
    inputCount: 0,
    steering: [],
    idSeed,
  };
}
