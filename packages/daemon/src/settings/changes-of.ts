import { isDeepStrictEqual } from 'node:util';
import type { NotifyTargetPatch, SettingsPatch } from '@agent-mux/api/schemas';
import { type DaemonChange, isRecord } from '@agent-mux/core';

type Path = DaemonChange['path'];

const PLAIN = ['retention', 'retentionBytes', 'storeContent', 'parkAfter', 'maxLiveSessions', 'onLimit'] as const;
const CONTINUATION = ['hours', 'maxPerDay', 'stagger', 'message'] as const;

/** The edits of the config file for a settings patch; as few as possible, so that comments are preserved. */
export function changesOf(
  patch: SettingsPatch,
  current: Readonly<Record<string, unknown>>,
  /** Paths of new secret files, by target name. */
  secretFiles: ReadonlyMap<string, string> = new Map(),
): DaemonChange[] {
  const continuation = isRecord(current.continuation) ? current.continuation : {};
  const notify = isRecord(current.notify) ? current.notify : {};
  const targets = isRecord(notify.targets) ? notify.targets : {};
  return [
    ...PLAIN.flatMap((field) => setValue([field], current[field], patch[field])),
    ...CONTINUATION.flatMap((field) =>
      setValue(['continuation', field], continuation[field], patch.continuation?.[field]),
    ),
    ...setList(['budgets'], current.budgets, patch.budgets),
    ...Object.entries(patch.notify?.targets ?? {}).flatMap(([name, options]) => {
      const known = Object.hasOwn(targets, name) ? targets[name] : undefined;
      return setTarget(['notify', 'targets', name], known, options, secretFiles.get(name));
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
  // If entries were only removed, remove just these.
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
  options: NotifyTargetPatch | null,
  secretFile: string | undefined,
): DaemonChange[] {
  if (options === null) return setValue(path, known, null);
  const fields = fieldsOf(options, secretFile);
  if (!isRecord(known) || known.type !== options.type)
    return [{ path, value: { type: options.type, ...dropNull(fields) } }];
  return Object.entries(fields).flatMap(([name, value]) => setValue([...path, name], known[name], value));
}

/** Null removes the field, because another one replaces it. */
function fieldsOf(options: NotifyTargetPatch, newSecret: string | undefined): Record<string, unknown> {
  if (options.type === 'desktop') return {};
  if (options.type === 'command') return options.command === undefined ? {} : { command: options.command };
  const { url, secretEnv, secretFile = newSecret } = options;
  return {
    ...(url === undefined ? {} : { url }),
    ...(secretFile === undefined ? {} : { secretFile, secretEnv: null }),
    ...(secretEnv === undefined ? {} : { secretEnv, secretFile: null }),
  };
}

function dropNull(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
