import type { Failure } from '../shared/failures.ts';
import { type Counts, NO_COUNTS } from './usage.ts';

/** Key of the main conversation; a subagent's key is the id of the tool call that started it. */
export const MAIN = '';

interface OpenBlock {
  kind: 'text' | 'thinking' | 'tool' | 'other';
  toolCallId?: string;
}

export interface OpenMessage {
  id: string;
  model?: string;
  /** Announced by `message_start`; otherwise known only from whole `assistant` lines. */
  streamed: boolean;
  /** `finished`: the model gave its stop reason. `cut off`: it stopped without one. */
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
  /** Pieces of the input until it is complete. */
  json: string;
  ready: boolean;
  parent?: string;
  /** The file that the call changes if it succeeds. */
  path?: string;
}

/** A request of the agent that awaits an answer. */
export interface OpenRequest {
  kind: 'approval' | 'input';
  toolName: string;
  input: Record<string, unknown>;
  suggestions: Record<string, unknown>[];
  toolCallId?: string;
}

/** State for decoding one process; survives JSON. */
export interface StreamState {
  sessionId?: string;
  announced: boolean;
  /** Open messages, and the id of the last streamed one, by conversation. */
  messages: Record<string, OpenMessage>;
  lastStreamed: Record<string, string>;
  tools: Record<string, OpenTool>;
  subagents: Record<string, string>;
  denied: Record<string, string>;
  asks: Record<string, OpenRequest>;
  /** Already emitted in `cost` events since the last result. */
  counted: Counts;
  /** The last running total of a dialect that has no per-turn figures. */
  totals: { counts: Counts; costUsd: number };
  /** The process resumes an existing session, whose cost running totals may include. */
  resumes: boolean;
  greeting?: Record<string, unknown>;
  failure?: Failure;
  limitResetsAt?: number;
  limitSaid: boolean;
  /** The login was refused and the agent keeps retrying: reported already, and a reason to stop. */
  loginRefused: 'no' | 'reported' | 'stopping';
  /** Requests that we sent, by id. */
  sent: Record<string, string>;
  sentCount: number;
  inputCount: number;
  /** Steering inputs that the agent has received but not started. */
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
