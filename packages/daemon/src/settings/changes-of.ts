import { isDeepStrictEqual } from 'node:util';
import type { NotifyTargetPatch, SettingsPatch } from '@agent-mux/api/schemas';
import { type DaemonChange, isRecord } from '@agent-mux/core';

type Path = DaemonChange['path'];

const PLAIN = ['keep', 'keepBytes', 'storeActivity', 'idlePark', 'maxLiveSessions', 'onLimit'] as const;
const LIMITS = ['hours', 'maxContinuationsPerDay', 'stagger', 'message'] as const;

/** What a change of the settings is in the file; as little of it as may be, so that comments stay where they are. */
export function changesOf(
  patch: SettingsPatch,
  current: Readonly<Record<string, unknown>>,
  /** Where new secrets lie, by the names of their targets. */
  secretFiles: ReadonlyMap<string, string> = new Map(),
): DaemonChange[] {
  const limits = isRecord(current.limits) ? current.limits : {};
  const notify = isRecord(current.notify) ? current.notify : {};
  const targets = isRecord(notify.targets) ? notify.targets : {};
  return [
    ...PLAIN.flatMap((field) => setValue([field], current[field], patch[field])),
    ...LIMITS.flatMap((field) => setValue(['limits', field], limits[field], patch.limits?.[field])),
    ...setList(['budgets'], current.budgets, patch.budgets),
    ...Object.entries(patch.notify?.targets ?? {}).flatMap(([name, given]) => {
      const known = Object.hasOwn(targets, name) ? targets[name] : undefined;
      return setTarget(['notify', 'targets', name], known, given, secretFiles.get(name));
    }),
    ...setList(['notify', 'rules'], notify.rules, patch.notify?.rules),
  ];
}

function setValue(path: Path, before: unknown, after: unknown): DaemonChange[] {
  const value = after === null ? undefined : after;
  return after === undefined || isDeepStrictEqual(before, value) ? [] : [{ path, value }];
}

function setList(path: Path, before: unknown, after: readonly unknown[] | null | undefined): DaemonChange[] {
  if (!Array.isArray(before) || !after) return setValue(path, before, after);
  const isSame = (one: unknown, other: unknown) => isDeepStrictEqual(one, other);
  let head = 0;
  while (head < before.length && head < after.length && isSame(before[head], after[head])) head += 1;
  let tail = 0;
  while (
    tail < Math.min(before.length, after.length) - head &&
    isSame(before[before.length - 1 - tail], after[after.length - 1 - tail])
  )
    tail += 1;
  const gone = before.length - after.length;
  // What has only lost some of its entries loses just these.
  if (gone > 0 && after.length === head + tail)
    return Array.from({ length: gone }, () => ({ path: [...path, head], value: undefined }));
  const set = after
    .map((value, at): DaemonChange => ({ path: [...path, at], value }))
    .filter(({ value }, at) => at >= before.length || !isSame(value, before[at]));
  const cut = Array.from({ length: Math.max(0, gone) }, () => ({ path: [...path, after.length], value: undefined }));
  return [...set, ...cut];
}

function setTarget(
  path: Path,
  known: unknown,
  given: NotifyTargetPatch | null,
  secretFile: string | undefined,
): DaemonChange[] {
  if (given === null) return setValue(path, known, null);
  const fields = fieldsOf(given, secretFile);
  if (!isRecord(known) || known.type !== given.type)
    return [{ path, value: { type: given.type, ...dropNull(fields) } }];
  return Object.entries(fields).flatMap(([name, value]) => setValue([...path, name], known[name], value));
}

/** Null: another has taken its place. */
function fieldsOf(given: NotifyTargetPatch, newSecret: string | undefined): Record<string, unknown> {
  if (given.type === 'desktop') return {};
  if (given.type === 'command') return given.command === undefined ? {} : { command: given.command };
  const { url, secretEnv, secretFile = newSecret } = given;
  return {
    ...(url === undefined ? {} : { url }),
    ...(secretFile === undefined ? {} : { secretFile, secretEnv: null }),
    ...(secretEnv === undefined ? {} : { secretEnv, secretFile: null }),
  };
}

function dropNull(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
