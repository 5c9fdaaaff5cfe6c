import { findNearNames } from '@agent-mux/core';
import { UsageError } from '../usage-error.ts';

/** Of the profiles that there are; a name that is none of them is refused, with those that are near. */
export function findProfile<Profile>(name: string, all: Readonly<Record<string, Profile>>): Profile {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  const near = findNearNames(name, Object.keys(all));
  const known = Object.keys(all).sort().join(', ');
  const hint =
    near.length > 0
      ? `did you mean ${near.join(' or ')}?`
      : known === ''
        ? 'there are none; amux profiles set NAME FIELD=VALUE makes one'
        : `there are: ${known}`;
  throw new UsageError(`there is no profile "${name}"`, hint);
}
