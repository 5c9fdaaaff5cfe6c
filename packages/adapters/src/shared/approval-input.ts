import { isRecord, type Json } from './json.ts';

/**
 * A tool's input together with further details of the request: where, why, its classification. The decision needs both.
 * Details that the input already contains are omitted.
 */
export function withDetails(input: unknown, details: Json): unknown {
  const said = new Set<unknown>(isRecord(input) ? Object.values(input) : [input]);
  const more = Object.entries(details).filter(([, value]) => !isEmpty(value) && !said.has(value));
  if (more.length === 0) return input;
  const request = Object.fromEntries(more);
  if (isRecord(input) && !Object.hasOwn(input, 'request')) return { ...input, request };
  return isEmpty(input) ? { request } : { input, request };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}
