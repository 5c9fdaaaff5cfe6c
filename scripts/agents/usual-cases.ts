import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import { type AgentProof, type Carrier, casesFor, type ProofCase } from '@agent-mux/testkit';

/**
 * What is run unless `--full` asks for all: the essential cases in an agent's default mode, the vital ones in its others
 * and where a start takes long. The record in docs/proofs.json is always made with all.
 */
export function usualCases(adapter: AgentAdapter, mode: AgentMode, proof: AgentProof, carrier: Carrier): ProofCase[] {
  const isDefault = modesOf(adapter)[0]?.name === mode.name;
  const cases = casesFor(adapter, mode, proof, { ofProject: true, carrier });
  const isSlow = proof.slowModes?.includes(mode.name) === true || (proof.patience ?? 1) > 1;
  if (carrier === 'daemon') return isDefault ? cases.filter((one) => isUsualThroughDaemon(one, isSlow)) : [];
  const vitalOnly = !isDefault || proof.slowModes?.includes(mode.name) === true;
  return cases.filter(({ rank }) => (vitalOnly ? rank === 'vital' : rank !== undefined));
}

/**
 * What `--full` runs: in this process all cases. Through the daemon all of its own cases and the essential ones of both carriers in
 * the default mode, the vital ones in others: what the refinements show does not depend on the carrier.
 */
export function fullCases(adapter: AgentAdapter, mode: AgentMode, proof: AgentProof, carrier: Carrier): ProofCase[] {
  const isDefault = modesOf(adapter)[0]?.name === mode.name;
  const cases = casesFor(adapter, mode, proof, { ofProject: true, carrier });
  if (carrier === 'process') return cases;
  return cases.filter(({ rank }) => (isDefault ? rank !== undefined : rank === 'vital'));
}

/** Those that both carriers share and that most depend on the carrier; the others have just been shown in process. */
const SHARED: ReadonlySet<string> = new Set(['prompt-safety', 'abort']);
/** Of an agent whose processes take many seconds to start. */
const OF_SLOW_AGENTS: ReadonlySet<string> = new Set(['second-turn', 'park-send', 'two-sessions', 'nothing-left']);

function isUsualThroughDaemon({ id, rank, carrier }: ProofCase, isSlow: boolean): boolean {
  if (isSlow) return OF_SLOW_AGENTS.has(id);
  return rank === 'vital' && (carrier === 'daemon' || SHARED.has(id));
}
