/** Whose processes are ended with SIGKILL in a round. */
export const KILL_KINDS = ['daemon', 'keeper', 'agent', 'several', 'all'] as const;
export type KillKind = (typeof KILL_KINDS)[number];

export interface RoundPlan {
  seed: number;
  kind: KillKind;
  sessions: readonly SessionPlan[];
  /** In this order: each waits for its moment, and for the daemon to be back from the previous one. */
  strikes: readonly FaultInjection[];
}

export interface SessionPlan {
  /** Unique within the round, and part of each of its messages. */
  name: string;
  agent: string;
  /** The first is the prompt, the others are queued at once. */
  messages: readonly MessagePlan[];
}

export interface MessagePlan {
  /** Also part of the message text, so that it is recognized wherever it appears. */
  id: string;
  /** `ask`: a command that has to be approved, and then some words. */
  does: 'speak' | 'ask';
  decision: 'allow' | 'deny';
  /** The answer: number of pieces, and time between them. */
  pieces: number;
  delayMs: number;
}

export type Victim = { type: 'daemon' } | { type: 'keeper' | 'agent'; session: string };

export interface FaultInjection {
  at: Moment;
  victims: readonly Victim[];
  /** Time until the daemon is started again, if it was killed. */
  downMs: number;
  /** How it is started then: directly, or by a command that needs it. */
  back: 'itself' | 'needed';
}

/** `created`: the session has just been accepted. The others wait for an event of it. */
export const MOMENTS = ['created', 'streaming', 'asking', 'turn-end'] as const;

export interface Moment {
  session: string;
  when: (typeof MOMENTS)[number];
  /** For `streaming`: number of text pieces since the session started. */
  count: number;
  /** Additional delay. */
  jitterMs: number;
}
