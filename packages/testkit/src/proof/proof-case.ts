import type { AgentAdapter, AgentCapabilities } from '@agent-mux/core';
import type { AgentProof, ProofQuirks } from './agent-proof.ts';
import type { Bench } from './bench.ts';

/** A capability that a case can show; lists and maps are shown entry by entry. */
export type Shown =
  | keyof AgentCapabilities
  | `approvalModes.${string}`
  | `systemPrompt.${string}`
  | `thinkingEfforts.${string}`;

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
  run(bench: Bench): Promise<void>;
}

export const DEFAULT_CASE_TIMEOUT_MS = 120_000;

export const always = (): boolean => true;
