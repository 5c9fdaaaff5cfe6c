import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import { type AgentProof, casesFor, type ProofCase } from '@agent-mux/testkit';

/**
 * What is run unless `--full` asks for all: in an agent's default mode every case, in its others the essential ones; where
 * a start takes long, one step less. The record in docs/proofs.json is always made with all.
 */
export function usualCases(adapter: AgentAdapter, mode: AgentMode, proof: AgentProof): ProofCase[] {
  const other = modesOf(adapter)[0]?.name !== mode.name;
  const slow = proof.slowModes?.includes(mode.name) === true;
  return casesFor(mode, proof, { ofProject: true }).filter(({ rank }) => {
    if (other && slow) return rank === 'vital';
    return other || slow ? rank !== undefined : true;
  });
}
