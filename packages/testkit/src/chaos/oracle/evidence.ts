import type { SessionPlan } from '../plan/round-plan.ts';

/** An event as the API gives it; only what the oracle looks at is named. */
export interface StoredEvent {
  seq: number;
  type: string;
  runId: string;
  timestamp: number;
  [field: string]: unknown;
}

/** What the agent's model, or the agent itself, has really got and said. */
export interface Heard {
  /** For each request of the model, or for the one conversation of an agent without one: the messages of the user in it, in order. */
  conversations: readonly (readonly string[])[];
  /** How often this message has begun a turn there. */
  begun(marker: string): number;
  /** Whether this is what was said to it. */
  isAnswer(marker: string, text: string): boolean;
}

export interface MessageRow {
  id: string;
  state: string;
  error?: { code: string } | null;
}

export interface SessionRow {
  id: string;
  nativeId: string | null;
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
  /** As they came, over all connections. */
  events: readonly { id: number; data: string }[];
  connections: number;
}

/** It ended before its agent had told an id to come back by, or before it had kept anything under that id. */
export type Beyond = 'NO_NATIVE_SESSION' | 'SESSION_NOT_FOUND';

/** All that is known of one session when a round is over. */
export interface SessionEvidence {
  plan: SessionPlan;
  session: SessionRow;
  messages: readonly MessageRow[];
  events: readonly StoredEvent[];
  readers: readonly ReaderRecord[];
  heard: Heard;
  /** How often the command of a message has run. */
  ran(marker: string): number;
  /** What was killed of it. `daemon` is no reason for anything to be lost. */
  struck: ReadonlySet<'keeper' | 'agent'>;
  /** Why it cannot come back. */
  beyond: Beyond | null;
}
