import type { AgentAdapter, EventBody, EventType, HttpCall, HttpMessage, RunOptions } from '@agent-mux/core';
import type { ReplayLiveOptions } from '../replay/live.ts';
import type { ReplayOneshotOptions } from '../replay/oneshot.ts';

/** Answers the messages of a live codec as the agent would, above all the handshake. */
export type Peer<Out = string, In = string> = (said: Out) => readonly In[];

/** An event must have these fields with these values; nested objects are matched the same way. */
export type EventMatch = { type: EventType } & Record<string, unknown>;

/** Recorded output of the real agent, and the expected events. */
export type RecordingFixture = {
  name: string;
  /** These events, in this order; others may be between them. */
  contains?: readonly EventMatch[];
  lacks?: readonly EventType[];
} & (
  | { mode: string; file: string | URL; oneshot?: ReplayOneshotOptions; live?: ReplayLiveOptions }
  /** For what is not a file of lines. Called several times; with `storeState` the codec's state goes through JSON. */
  | { replay(options: { storeState: boolean }): readonly EventBody[] }
);

/** How to make a real run: with the agent itself, or with a fake that behaves like it. */
export interface RunFixture {
  options?: Partial<Omit<RunOptions, 'agent'>>;
  /** Added to a minimal environment: a PATH on which the agent's command is found, its keys. */
  env?: Record<string, string>;
  /** Pattern of the expected answer. */
  text?: RegExp;
}

export interface DefinitionProfileLike {
  profile: string;
  key: string;
  schema: {
    safeParse(config: unknown): {
      success: boolean;
      data?: unknown;
      error?: { issues: readonly { message: string }[] };
    };
  };
  create(id: string, name: string, config: unknown): AgentAdapter;
}

export interface DefinitionFixture {
  profile: DefinitionProfileLike;
  valid: readonly unknown[];
  invalid: readonly unknown[];
}

/** Input that the suite cannot derive. Without a fixture the checks that need it are reported as skipped. */
export interface ContractFixtures {
  /** A model that may be chosen; default one of the adapter's, or `contract/model`. */
  model?: string;
  /** A tool that may be allowed or denied; default `bash`. */
  tool?: string;
  /** By the name of the mode. With one, an option must appear in the messages, and not only in the codec's state. */
  peers?: Readonly<Record<string, Peer | Peer<HttpCall, HttpMessage>>>;
  recordings?: readonly RecordingFixture[];
  run?: RunFixture;
  definitions?: DefinitionFixture;
  /**
   * Known failures, by `topic: sentence`, with the reason. Such a check must fail: one that passes again is reported,
   * so that no exemption outlives its failure.
   */
  exempt?: Readonly<Record<string, string>>;
  /** How often a decoder is tried with garbage, and from which seed. Default 200 and 1. */
  garbage?: { runs?: number; seed?: number };
  /** Milliseconds for one method that returns a promise; default five seconds. */
  settleMs?: number;
  /** Milliseconds for a check; default a minute. */
  timeoutMs?: number;
}
