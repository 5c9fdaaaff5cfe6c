import { UsageError } from '../usage-error.ts';

/** `K=V`, or K alone for the value that it has here. */
export function readVariable(name: string, entry: string): [string, string] {
  const at = entry.indexOf('=');
  if (at > 0) return [entry.slice(0, at), entry.slice(at + 1)];
  const own = at === -1 ? process.env[entry] : undefined;
  if (own === undefined) throw new UsageError(`${name} ${entry}: not set here`, `write ${name} ${entry || 'K'}=VALUE`);
  return [entry, own];
}
