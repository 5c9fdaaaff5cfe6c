/** Whose processes are ended with SIGKILL in a round. */
export const KILL_KINDS = ['daemon', 'keeper', 'agent', 'several', 'all'] as const;
export type KillKind = (typeof KILL_KINDS)[number];

export interface RoundPlan {
  seed: number;
  kind: KillKind;
  sessions: readonly SessionPlan[];
  /** In this order: each waits for its moment, and for the daemon to be back from the one before. */
  strikes: readonly Strike[];
}

export interface SessionPlan {
  /** Unique within the round, and a part of what each of its messages says. */
  name: string;
  agent: string;
  /** The first is the prompt, the others are queued at once. */
  messages: readonly MessagePlan[];
}

export interface MessagePlan {
  /** Also stands in the text of the message, so that it is known again wherever it turns up. */
  id: string;
  /** `ask`: a command that has to be approved, and then some words. */
  does: 'speak' | 'ask';
  decision: 'allow' | 'deny';
  /** Of the answer: so many pieces, with so much time between them. */
  pieces: number;
  delayMs: number;
}

export type Victim = { type: 'daemon' } | { type: 'keeper' | 'agent'; session: string };

export interface Strike {
  at: Moment;
  victims: readonly Victim[];
  /** So long nobody starts the daemon again, where it is one of them. */
  downMs: number;
  /** Who starts it then: somebody, or a command that needs it. */
  back: 'itself' | 'needed';
}

/** `created`: the session has just been accepted. The others wait for an event of it. */
export const MOMENTS = ['created', 'streaming', 'asking', 'turn-end'] as const;

export interface Moment {
  session: string;
  when: (typeof MOMENTS)[number];
  /** Of `streaming`: so many pieces of text have come since the session began. */
  count: number;
  /** And so much later. */
  jitterMs: number;
}
