import { UsageError } from '../usage-error.ts';

/** `K=V`, or K alone for its current value. */
export function readVariable(name: string, entry: string): [string, string] {
  const at = entry.indexOf('=');
  if (at > 0) return [entry.slice(0, at), entry.slice(at + 1)];
  const own = at === -1 ? process.env[entry] : undefined;
  if (own === undefined)
    throw new UsageError(`${name} ${entry}: variable is not set`, `use ${name} ${entry || 'K'}=VALUE`);
  return [entry, own];
}
