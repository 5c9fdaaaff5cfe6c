import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import { type AgentProof, casesFor, type ProofCase } from '@agent-mux/testkit';

/**
 * What is run unless `--full` asks for all: the essential cases in an agent's default mode, the vital ones in its others
 * and where a start takes long. The record in docs/proofs.json is always made with all.
 */
export function usualCases(adapter: AgentAdapter, mode: AgentMode, proof: AgentProof): ProofCase[] {
  const vitalOnly = modesOf(adapter)[0]?.name !== mode.name || proof.slowModes?.includes(mode.name) === true;
  return casesFor(adapter, mode, proof, { ofProject: true }).filter(({ rank }) =>
    vitalOnly ? rank === 'vital' : rank !== undefined,
  );
}
