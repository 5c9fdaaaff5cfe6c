import { z } from 'zod';
import { messageOf } from '../../values.ts';

export interface Checked {
  value?: unknown;
  problem?: string;
}

/** What keeps a JSON Schema from being used; undefined: nothing. */
export function schemaProblem(schema: Record<string, unknown>): string | undefined {
  try {
    validatorOf(schema);
    return undefined;
  } catch (error) {
    return `is not a usable JSON Schema: ${messageOf(error)}`;
  }
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
  const checked = safeCheck(schema, value);
  if (!checked) return { problem: 'the answer cannot be checked against outputSchema: it is nested too deep' };
  if (checked.success) return { value };
  const first = checked.error.issues[0];
  return {
    value,
    problem: `the answer does not fit outputSchema: ${first?.path.join('.') || 'value'}: ${first?.message}`,
  };
}

/** Undefined: the value is deeper than the stack. */
function safeCheck(schema: Record<string, unknown>, value: unknown) {
  try {
    return validatorOf(schema).safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Throws where the schema is not one. */
function validatorOf(schema: Record<string, unknown>): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}
