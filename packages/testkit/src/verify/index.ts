export type {
  AgentQuirks,
  AgentSetup,
  ScriptedCall,
  VerifyModel,
  VerifySandbox,
  VerifyService,
} from './agent-setup.ts';
export { agentSetups } from './agents/index.ts';
export { verifyCases } from './cases/index.ts';
export { pathWith } from './environment.ts';
export { type Differences, differencesOf, EXCEPTIONS, notAssertedIn } from './not-asserted.ts';
export {
  type AgentVerificationRecord,
  NO_VERIFICATIONS,
  parseVerificationRecord,
  type ReleaseRecord,
  type VerificationRecord,
} from './record.ts';
export { type CaseGroup, type CaseResult, casesFor, runCases } from './run-cases.ts';
export { seedDefinition, seedDefinitions, substitute, type WrittenDefinition } from './seed-definitions.ts';
export { planVerification, type VerifyOutcome, type VerifyTarget, verifyAgents } from './verify-agents.ts';
export { CARRIERS, type Carrier, type Shown, type VerifyCase } from './verify-case.ts';
