import type { AgentAdapter, AgentCapabilities } from '@agent-mux/core';
import type { AgentProof, ProofQuirks } from './agent-proof.ts';
import type { Bench } from './bench.ts';
import type { Exception } from './not-asserted.ts';

/** A capability that a case can show; lists and maps are shown entry by entry. */
export type Shown =
  | keyof AgentCapabilities
  | `approvalModes.${string}`
  | `systemPrompt.${string}`
  | `thinkingEfforts.${string}`;

/** How a run reaches its agent: in this process (`createClient`), or as a session of a daemon (`connect`). */
export const CARRIERS = ['process', 'daemon'] as const;
export type Carrier = (typeof CARRIERS)[number];

/** One thing that is shown on the real CLI. */
export interface ProofCase {
  id: string;
  /** As a sentence. */
  title: string;
  /** What a pass proves, of the capabilities that the mode declares. */
  shows: readonly Shown[];
  needs(capabilities: AgentCapabilities, proof: AgentProof, adapter: AgentAdapter, quirks: ProofQuirks): boolean;
  /** The run that it looks at together with other cases: those are best run by one worker. */
  shares?: 'odd run' | 'tour' | 'two turns' | 'session' | 'attachments' | 'long prompt' | 'system prompt';
  /** The whole case, several runs included. */
  timeoutMs?: number;
  /** Essential: what every agent must show. Vital: without it the mode is of no use, or does harm. The rest are refinements. */
  rank?: 'vital' | 'essential';
  /** It needs a process of its own, also where cases share a server. */
  alone?: boolean;
  /** It is about the agent and not about a way to drive it: shown in the default mode alone. */
  ofAgent?: boolean;
  /** Shown by the project alone: it needs more of the machine than the agent and a model. */
  ofProject?: boolean;
  /** What switches an assertion of this case off: it then does not count as passed. */
  unasserted?: readonly Exception[];
  /** Runs with this carrier alone. Absent: with both. */
  carrier?: Carrier;
  run(bench: Bench): Promise<void>;
}

export const DEFAULT_CASE_TIMEOUT_MS = 120_000;

export const always = (): boolean => true;
