import { suggestNames } from '@agent-mux/core';
import { UsageError } from '../usage-error.ts';

/** Finds a profile by name. Throws with similar names if it does not exist. */
export function findProfile<Profile>(name: string, all: Readonly<Record<string, Profile>>): Profile {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  const near = suggestNames(name, Object.keys(all));
  const known = Object.keys(all).sort().join(', ');
  const hint =
    near.length > 0
      ? `did you mean ${near.join(' or ')}?`
      : known === ''
        ? 'run "amux profiles set NAME FIELD=VALUE" to create one'
        : `use one of: ${known}`;
  throw new UsageError(`profile "${name}" not found`, hint);
}
