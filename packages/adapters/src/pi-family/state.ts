import type { ResolvedRunOptions, ThinkingEffort } from '@agent-mux/core';
import type { Failure } from '../shared/failures.ts';
import type { PiDialect } from './dialect.ts';

interface OpenTool {
  name: string;
  ready: boolean;
  running: boolean;
  input: unknown;
  /** What the running tool has printed so far. */
  output: string;
}

export interface OpenAsk {
  kind: 'approval' | 'confirm' | 'choice';
  toolCallId?: string;
}

/** What was sent and waits for its `response`. */
export type Sent = 'state' | 'turn' | 'steer' | 'look' | 'model' | 'other';

/** Everything that decoding one process needs to remember; survives JSON. */
export interface PiState {
  /** The session that was asked for; pi would also take a prefix of an id. */
  resumes?: string;
  /** The effort that was asked for, which a model without reasoning leaves out. */
  effort?: ThinkingEffort;
  /** By the prefix of their tools' names. */
  mcpServers: Record<string, string>;
  announced: boolean;
  tools: Record<string, OpenTool>;
  /** Tool calls of the message that is being streamed, by content index. */
  blocks: Record<string, string>;
  messageId?: string;
  messageOpen: boolean;
  /** Words of the open message were shown. */
  spoken: boolean;
  /** The last answer, while it stands. */
  stopReason?: string;
  failure?: Failure;
  refused: boolean;
  asks: Record<string, OpenAsk>;
  denied: Record<string, true>;
  sent: Record<string, Sent>;
  sentCount: number;
  /** Between `agent_start` and the end of all that follows from it. */
  running: boolean;
  interrupting: boolean;
  /** A run of what an interrupted turn has left behind; nobody asked for it. */
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
