import { z } from 'zod';

const PROOFS_SCHEMA = 'agent-mux/proofs@1';

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
  /** All cases in all modes, or those of the usual selection. */
  cases: z.enum(['all', 'usual']),
  passed: z.int(),
  /** They hold, but quirks of the CLI switch some of their assertions off. */
  partly: z.int().default(0),
  total: z.int(),
  /** Mode and case of each that failed. */
  failed: z.array(z.string()),
});

const ProofRecord = z.strictObject({
  schema: z.literal(PROOFS_SCHEMA),
  /** The pinned release of each agent. */
  agents: z.record(z.string(), AgentRecord),
  /** Other releases of an agent, the oldest first. */
  releases: z.record(z.string(), z.array(ReleaseRecord)).default({}),
});

/** What was shown of each agent, as it is kept in the repository. */
export type ProofRecord = z.infer<typeof ProofRecord>;
export type AgentProofRecord = z.infer<typeof AgentRecord>;

export type ReleaseRecord = z.infer<typeof ReleaseRecord>;

export const NO_PROOFS: ProofRecord = { schema: PROOFS_SCHEMA, agents: {}, releases: {} };

export function parseProofRecord(text: string): ProofRecord {
  return ProofRecord.parse(JSON.parse(text));
}
