import { ValidationError } from './errors.ts';

/*
 * Encodes values as command-line arguments so that each stays one value: never a flag, never a second argument, never a
 * second list entry. `run/option-values.ts` validates option values first; this is the second line of defense.
 */

/** `--name=value`: a value with a leading dash cannot become a flag. Empty for an undefined value. */
export function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined || value === '' ? [] : [`${name}=${value}`];
}

/** Repeats the flag for each value: a multi-value flag would swallow the arguments that follow. */
export function flagEach(name: string, values: readonly string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => flag(name, value));
}

/** `--name=a,b`, for a CLI that takes one list. Rejects a value that contains the separator. */
export function flagList(name: string, option: string, values: readonly string[] | undefined): string[] {
  return flag(name, values?.map((value) => withoutSeparator(option, value, ',')).join(','));
}

/** `--name value`, for a CLI that does not support `=`. */
export function flagApart(name: string, option: string, value: string | undefined): string[] {
  return value ? [name, ...argument(option, value)] : [];
}

/** A positional argument. Rejects a value that starts with a dash. */
export function argument(option: string, value: string | undefined): string[] {
  if (!value) return [];
  if (value.startsWith('-')) throw refusedValue(option, `"${value}" starts with "-" and would be read as a flag`);
  return [value];
}

/** For a list that the CLI splits at `separator`. */
export function withoutSeparator(option: string, value: string, separator: string): string {
  if (!value.includes(separator)) return value;
  throw refusedValue(option, `"${value}" contains the separator "${separator}": pass each value separately`);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** For a CLI whose session ids are UUIDs but that also accepts a name, a number, a path or an id prefix. */
export function wholeUuid(option: 'sessionId' | 'forkSessionId', id: string | undefined): string | undefined {
  if (id === undefined || UUID.test(id)) return id;
  throw refusedValue(option, `"${id}" is not a full session id (a UUID) and could match another session`);
}

function refusedValue(option: string, problem: string): ValidationError {
  return new ValidationError('run options', [{ field: option, problem }]);
}
