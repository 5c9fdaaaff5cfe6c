import { ValidationError } from './errors.ts';

/*
 * How an adapter puts a value on a command line, so that it stays one value: never a flag, never a second argument,
 * never a second value of a list. What options may hold at all is said in `run/option-values.ts`; this is the second net.
 */

/** `--name=value`: whatever the value begins with, it is none of the flags. Nothing where there is no value. */
export function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined || value === '' ? [] : [`${name}=${value}`];
}

/** The flag again for each value: a flag that takes several would swallow what follows, or spill into it. */
export function flagEach(name: string, values: readonly string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => flag(name, value));
}

/** `--name=a,b`, for a CLI that takes one list. A value that would be two is refused by the name of its option. */
export function flagList(name: string, option: string, values: readonly string[] | undefined): string[] {
  return flag(name, values?.map((value) => withoutSeparator(option, value, ',')).join(','));
}

/** `--name value`, for a CLI that knows no `=`. */
export function flagApart(name: string, option: string, value: string | undefined): string[] {
  return value ? [name, ...argument(option, value)] : [];
}

/** A value that stands alone. One that begins with a dash is refused by the name of its option. */
export function argument(option: string, value: string | undefined): string[] {
  if (!value) return [];
  if (value.startsWith('-')) throw refusedValue(option, `"${value}" begins with -: it would be read as a flag`);
  return [value];
}

/** For a list whose values a CLI parts at `separator`. */
export function withoutSeparator(option: string, value: string, separator: string): string {
  if (!value.includes(separator)) return value;
  throw refusedValue(option, `"${value}" holds "${separator}", which parts values here: give each on its own`);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** For a CLI whose ids are UUIDs and that takes a name, a number, a path or the beginning of an id in their place. */
export function wholeUuid(option: 'sessionId' | 'forkSessionId', id: string | undefined): string | undefined {
  if (id === undefined || UUID.test(id)) return id;
  throw refusedValue(option, `"${id}" is not the whole id of a session (a UUID): another one might be meant by it`);
}

function refusedValue(option: string, problem: string): ValidationError {
  return new ValidationError('run options', [{ field: option, problem }]);
}
