import { z } from 'zod';

const PROOFS_SCHEMA = 'agent-mux/proofs@1';

const AgentRecord = z.strictObject({
  package: z.string(),
  version: z.string(),
  /** The day of the last run, in UTC. */
  date: z.iso.date(),
  platform: z.string(),
  /** By mode and case. */
  modes: z.record(z.string(), z.record(z.string(), z.enum(['passed', 'failed']))),
});

const ProofRecord = z.strictObject({
  schema: z.literal(PROOFS_SCHEMA),
  agents: z.record(z.string(), AgentRecord),
});

/** The last proof of each agent, as it is kept in the repository. */
export type ProofRecord = z.infer<typeof ProofRecord>;
export type AgentProofRecord = z.infer<typeof AgentRecord>;

export const NO_PROOFS: ProofRecord = { schema: PROOFS_SCHEMA, agents: {} };

export function parseProofRecord(text: string): ProofRecord {
  return ProofRecord.parse(JSON.parse(text));
}
