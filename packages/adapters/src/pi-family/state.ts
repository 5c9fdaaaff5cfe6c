import type { ResolvedRunOptions, ThinkingEffort } from '@agent-mux/core';
import type { Failure } from '../shared/failures.ts';
import type { PiDialect } from './dialect.ts';

interface OpenTool {
  name: string;
  ready: boolean;
  running: boolean;
  input: unknown;
  /** Output of the running tool so far. */
  output: string;
}

export interface OpenRequest {
  kind: 'approval' | 'confirm' | 'choice';
  toolCallId?: string;
}

/** Commands that wait for their `response`. */
export type Sent = 'state' | 'turn' | 'steer' | 'look' | 'model' | 'other';

/** State for decoding one process; survives JSON. */
export interface PiState {
  /** The requested session; pi would also accept a prefix of an id. */
  resumes?: string;
  /** The requested effort, which a model without reasoning ignores. */
  effort?: ThinkingEffort;
  /** By the prefix of their tools' names. */
  mcpServers: Record<string, string>;
  announced: boolean;
  tools: Record<string, OpenTool>;
  /** Tool calls of the message that is being streamed, by content index. */
  blocks: Record<string, string>;
  messageId?: string;
  messageOpen: boolean;
  /** Text of the open message was emitted. */
  spoken: boolean;
  /** The last answer, while it is valid. */
  stopReason?: string;
  failure?: Failure;
  refused: boolean;
  asks: Record<string, OpenRequest>;
  denied: Record<string, true>;
  sent: Record<string, Sent>;
  sentCount: number;
  /** Between `agent_start` and the end of everything that follows from it. */
  running: boolean;
  interrupting: boolean;
  /** A run that an interrupted turn left; the caller did not ask for it. */
  stray: boolean;
}

export function openState(options: ResolvedRunOptions, dialect: PiDialect): PiState {
  return {
    ...(options.sessionId === undefined ? {} : { resumes: options.sessionId }),
    ...(options.thinkingEffort === undefined ? {} : { effort: options.thinkingEffort }),
    mcpServers: dialect.mcpPrefixes?.(options) ?? {},
    announced: false,
    tools: {},
    blocks: {},
    messageOpen: false,
    spoken: false,
    refused: false,
    asks: {},
    denied: {},
    sent: {},
    sentCount: 0,
    running: false,
    interrupting: false,
    stray: false,
  };
}
