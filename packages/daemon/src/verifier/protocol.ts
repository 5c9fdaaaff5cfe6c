import { VerifyCaseSchema, VerifyResultSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';

/** Request of the daemon to a verifier, one line on its stdin. */
export const VerifierRequestSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('plan'), agent: z.string() }),
  z.object({ do: z.literal('verify'), agent: z.string(), folder: z.string() }),
]);
export type VerifierRequestSchema = z.infer<typeof VerifierRequestSchema>;

/** Messages of a verifier, one per line on its stdout. */
export const VerifierMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('plan'), version: z.string().nullable(), cases: z.array(VerifyCaseSchema) }),
  z.object({ type: z.literal('result'), setup: VerifyResultSchema }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string(), hint: z.string().optional() }),
]);
export type VerifierMessageSchema = z.infer<typeof VerifierMessageSchema>;
