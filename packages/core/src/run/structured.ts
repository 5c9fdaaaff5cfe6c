import { z } from 'zod';

export interface Checked {
  value?: unknown;
  problem?: string;
}

/** The agent's answer to an `outputSchema`, checked here too: that an agent says so proves nothing. */
export function validateStructured(schema: Record<string, unknown>, structured: unknown, text: string): Checked {
  let value = structured;
  if (value === undefined) {
    try {
      value = JSON.parse(text);
    } catch {
      return { problem: 'the answer is not JSON, though outputSchema asked for it' };
    }
  }
  let validator: z.ZodType;
  try {
    validator = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    return { value, problem: `outputSchema cannot be used: ${error instanceof Error ? error.message : String(error)}` };
  }
  const checked = validator.safeParse(value);
  if (checked.success) return { value };
  const first = checked.error.issues[0];
  return {
    value,
    problem: `the answer does not fit outputSchema: ${first?.path.join('.') || 'value'}: ${first?.message}`,
  };
}
