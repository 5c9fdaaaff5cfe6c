export type {
  AgentProof,
  ProofModel,
  ProofPlace,
  ProofQuirks,
  ProofService,
  ScriptedCall,
} from './agent-proof.ts';
export { agentProofs } from './agents/index.ts';
export { proofCases } from './cases/index.ts';
export { type Differences, differencesOf, EXCEPTIONS, notAssertedIn } from './not-asserted.ts';
export { CARRIERS, type Carrier, type ProofCase, type Shown } from './proof-case.ts';
export { type AgentProofRecord, NO_PROOFS, type ProofRecord, parseProofRecord, type ReleaseRecord } from './record.ts';
export { type CaseGroup, type CaseResult, casesFor, runCases } from './run-cases.ts';
export { inPlaceOf, seedDefinition, seedDefinitions, type WrittenDefinition } from './seed-definitions.ts';
export { pathWith } from './surroundings.ts';
export { type Proven, planProof, type ToProve, verifyAgents } from './verify-agents.ts';
