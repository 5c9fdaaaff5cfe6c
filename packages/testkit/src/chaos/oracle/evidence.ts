import type { SessionPlan } from '../plan/round-plan.ts';

/** An event of the API, with the fields that the oracle checks. */
export interface StoredEvent {
  seq: number;
  type: string;
  runId: string;
  timestamp: number;
  [field: string]: unknown;
}

/** What the agent's model, or the agent itself, has really received and sent. */
export interface Received {
  /**
   * For each model request, or for the single conversation of an agent without a model: its user messages, in order.
   */
  conversations: readonly (readonly string[])[];
  /** How often this message has started a turn there. */
  started(marker: string): number;
  /** Whether this is the answer to it. */
  isAnswer(marker: string, text: string): boolean;
}

export interface MessageRow {
  id: string;
  state: string;
  error?: { code: string } | null;
}

export interface SessionRow {
  id: string;
  agentSessionId: string | null;
  activity: string;
  isTerminated: boolean;
  parked: boolean;
  launch: number;
  lastSeq: number;
  keeperPid: number | null;
  error: { code: string; message: string } | null;
  openRequests: number;
}

export interface ReaderRecord {
  name: string;
  /** As received, over all connections. */
  events: readonly { id: number; data: string }[];
  connections: number;
}

/** It ended before its agent reported an id for resuming, or before it stored anything under that id. */
export type Beyond = 'NO_AGENT_SESSION' | 'SESSION_NOT_FOUND';

/** All that is known of one session after a round. */
export interface SessionEvidence {
  plan: SessionPlan;
  session: SessionRow;
  messages: readonly MessageRow[];
  events: readonly StoredEvent[];
  readers: readonly ReaderRecord[];
  heard: Received;
  /** How often the command of a message has run. */
  ran(marker: string): number;
  /** Its killed processes. `daemon` does not justify any loss. */
  struck: ReadonlySet<'keeper' | 'agent'>;
  /** Why it cannot be restored. */
  unrecoverable: Beyond | null;
}
