import { z } from 'zod';

const VERIFICATIONS_SCHEMA = 'agent-mux/verifications@1';

const CaseResults = z.record(z.string(), z.record(z.string(), z.enum(['passed', 'failed'])));

const AgentRecord = z.strictObject({
  package: z.string(),
  version: z.string(),
  /** The day of the last run, in UTC. */
  date: z.iso.date(),
  platform: z.string(),
  /** By mode and case. */
  modes: CaseResults,
  /** The same through the daemon. */
  daemon: CaseResults.default({}),
});

const ReleaseRecord = z.strictObject({
  version: z.string(),
  date: z.iso.date(),
  platform: z.string(),
  /** All cases in all modes, or the standard selection. */
  cases: z.enum(['all', 'usual']),
  passed: z.int(),
  /** They pass, but quirks of the CLI switch some of their assertions off. */
  partly: z.int().default(0),
  total: z.int(),
  /** Mode and case of each that failed. */
  failed: z.array(z.string()),
});

const VerificationRecord = z.strictObject({
  schema: z.literal(VERIFICATIONS_SCHEMA),
  /** The pinned release of each agent. */
  agents: z.record(z.string(), AgentRecord),
  /** Other releases of an agent, the oldest first. */
  releases: z.record(z.string(), z.array(ReleaseRecord)).default({}),
});

/** Verification results of each agent, as stored in the repository. */
export type VerificationRecord = z.infer<typeof VerificationRecord>;
export type AgentVerificationRecord = z.infer<typeof AgentRecord>;

export type ReleaseRecord = z.infer<typeof ReleaseRecord>;

export const NO_VERIFICATIONS: VerificationRecord = { schema: VERIFICATIONS_SCHEMA, agents: {}, releases: {} };

export function parseVerificationRecord(text: string): VerificationRecord {
  return VerificationRecord.parse(JSON.parse(text));
}
