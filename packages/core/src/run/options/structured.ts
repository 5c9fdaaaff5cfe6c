import { z } from 'zod';
import { messageOf } from '../../values.ts';

export interface Checked {
  value?: unknown;
  problem?: string;
}

/** Why a JSON Schema cannot be used; undefined if it can. */
export function schemaProblem(schema: Record<string, unknown>): string | undefined {
  try {
    validatorOf(schema);
    return undefined;
  } catch (error) {
    return `is not a usable JSON Schema: ${messageOf(error)}`;
  }
}

/** Parses and checks the agent's answer to an `outputSchema`; the agent's own check is not trusted. */
export function validateStructured(schema: Record<string, unknown>, structured: unknown, text: string): Checked {
  let value = structured;
  if (value === undefined) {
    try {
      value = JSON.parse(text);
    } catch {
      return { problem: 'the answer is not valid JSON as required by outputSchema' };
    }
  }
  const checked = safeCheck(schema, value);
  if (!checked) return { problem: 'cannot check the answer against outputSchema: it is nested too deeply' };
  if (checked.success) return { value };
  const first = checked.error.issues[0];
  return {
    value,
    problem: `the answer does not match outputSchema: ${first?.path.join('.') || 'value'}: ${first?.message}`,
  };
}

/** Undefined if the value is nested deeper than the stack. */
function safeCheck(schema: Record<string, unknown>, value: unknown) {
  try {
    return validatorOf(schema).safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Throws if the schema is invalid. */
function validatorOf(schema: Record<string, unknown>): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}
