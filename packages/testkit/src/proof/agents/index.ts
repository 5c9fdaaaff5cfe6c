import type { AgentProof } from '../agent-proof.ts';
import { claudeProof } from './claude.ts';

/** Every agent that is proven on its real CLI. */
export const agentProofs: Readonly<Record<string, AgentProof>> = Object.fromEntries(
  [claudeProof].map((proof) => [proof.agent, proof]),
);
