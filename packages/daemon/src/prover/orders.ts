import { ProofCaseSchema, ProofSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';

/** What the daemon tells a prover on its stdin, in one line. */
export const ProverOrder = z.discriminatedUnion('do', [
  z.object({ do: z.literal('plan'), agent: z.string() }),
  z.object({ do: z.literal('prove'), agent: z.string(), folder: z.string() }),
]);
export type ProverOrder = z.infer<typeof ProverOrder>;

/** What a prover answers, a line for each. */
export const ProverLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('plan'), version: z.string().nullable(), cases: z.array(ProofCaseSchema) }),
  z.object({ type: z.literal('proof'), proof: ProofSchema }),
  z.object({ type: z.literal('fault'), code: z.string(), message: z.string(), hint: z.string().optional() }),
]);
export type ProverLine = z.infer<typeof ProverLine>;
