import type { AgentAdapter, AgentCapabilities } from '@agent-mux/core';
import type { AgentQuirks, AgentSetup } from './agent-setup.ts';
import type { Bench } from './bench.ts';
import type { Exception } from './not-asserted.ts';

/** A capability that a case can verify; lists and maps are verified entry by entry. */
export type Shown =
  | keyof AgentCapabilities
  | `approvalModes.${string}`
  | `systemPrompt.${string}`
  | `thinkingEfforts.${string}`;

/** How a run reaches its agent: in this process (`createClient`), or as a session of a daemon (`connect`). */
export const CARRIERS = ['process', 'daemon'] as const;
export type Carrier = (typeof CARRIERS)[number];

/** One behavior that is verified with the real CLI. */
export interface VerifyCase {
  id: string;
  /** As a sentence. */
  title: string;
  /** Declared capabilities that a pass verifies. */
  shows: readonly Shown[];
  needs(capabilities: AgentCapabilities, setup: AgentSetup, adapter: AgentAdapter, quirks: AgentQuirks): boolean;
  /** The run that it shares with other cases: one worker should run them. */
  shares?: 'odd run' | 'tour' | 'two turns' | 'session' | 'attachments' | 'long prompt' | 'system prompt';
  /** The whole case, several runs included. */
  timeoutMs?: number;
  /** Essential: required of every agent. Vital: without it the mode is useless or harmful. The rest are refinements. */
  rank?: 'vital' | 'essential';
  /** It needs a separate process, even if cases share a server. */
  alone?: boolean;
  /** It is about the agent and not about a way to drive it: run only in the default mode. */
  ofAgent?: boolean;
  /** Only the project itself runs it: it needs more of the machine than the agent and a model. */
  ofProject?: boolean;
  /** Exceptions that switch an assertion of this case off: it then does not count as passed. */
  unasserted?: readonly Exception[];
  /** Runs only with this carrier. Absent: with both. */
  carrier?: Carrier;
  run(bench: Bench): Promise<void>;
}

export const DEFAULT_CASE_TIMEOUT_MS = 120_000;

export const always = (): boolean => true;
