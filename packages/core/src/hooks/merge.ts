import { applyChanges, isPlainObject, sameContent, valueAtNative } from '../native-config/changes.ts';
import type { ConfigChange, NativePath } from '../native-config/codecs.ts';
import { isOwnEntry } from './ownership.ts';

/** Desired content of a settings file: a list of entries for each event, in a possibly nested table. */
export interface HookTable {
  agent: string;
  /** Path to the table. */
  under: readonly string[];
  /** Entries are groups that contain a list of hooks (`hooks`). */
  grouped: boolean;
  wanted: readonly { event: string; entry: Record<string, unknown> }[];
  /** Values added next to the table unless already set. */
  fixed: Readonly<Record<string, unknown>>;
}

/** The file has another value where a table or a list is expected. */
export class HookShapeError extends Error {
  readonly path: NativePath;

  constructor(path: NativePath, due: string) {
    super(`${path.join('.') || 'it'} is not ${due}, so nothing can be added to it`);
    this.path = path;
  }
}

/** Changes that make the file contain our current entries exactly once. Empty: up to date. */
export function mergeChanges(table: HookTable, content: unknown): ConfigChange[] {
  const { under, wanted } = table;
  const names = new Set(wanted.map(({ event }) => event));
  return [
    ...Object.entries(table.fixed).flatMap(([key, value]): ConfigChange[] => {
      const path = [...under.slice(0, -1), key];
      return valueAtNative(content, path) === undefined ? [{ path, value }] : [];
    }),
    ...Object.keys(tableOf(table, content))
      .filter((event) => !names.has(event))
      .flatMap((event) => withoutOwn(table, listOf(table, content, event) ?? [], event)),
    ...wanted.flatMap(({ event, entry }) => mergeEvent(table, listOf(table, content, event), event, entry)),
  ];
}

function mergeEvent(
  table: HookTable,
  list: readonly unknown[] | undefined,
  event: string,
  entry: Record<string, unknown>,
): ConfigChange[] {
  const path = [...table.under, event];
  if (list === undefined) return [{ path, value: [entry] }];
  const mine = ownPlaces(table, list);
  const [only] = mine;
  if (only && mine.length === 1 && isRight(list, only, entry)) return [];
  const whole = mine.find(([, inner]) => inner === undefined);
  if (!whole) return [...removals(path, mine), { path: [...path, list.length], value: entry }];
  const others = mine.filter((position) => position !== whole);
  return [{ path: [...path, whole[0]], value: entry }, ...removals(path, others)];
}

/** The user may have moved our entry into their own group: that counts as present. */
function isRight(list: readonly unknown[], [at, inner]: Position, entry: Record<string, unknown>): boolean {
  const found = list[at];
  return inner === undefined ? sameContent(found, entry) : sameContent(hooksIn(found)[inner], hooksIn(entry)[0]);
}

/**
 * Changes that remove all our entries. Lists, tables and settings that existed before installation (`before`, if known)
 * are kept, even if empty; other empty containers are removed.
 */
export function unmergeChanges(table: HookTable, content: unknown, before?: unknown): ConfigChange[] {
  const { under } = table;
  const isOld = (path: NativePath) => valueAtNative(before, path) !== undefined;
  const events = tableOf(table, content);
  const left = Object.keys(events).map((event) => {
    const list = listOf(table, content, event) ?? [];
    const removed = withoutOwn(table, list, event);
    const path = [...under, event];
    const emptied = removed.length > 0 && isEmptied(content, removed, path) && !isOld(path);
    return { changes: emptied ? [{ path, value: undefined }] : removed, stays: !emptied };
  });
  const changes = left.flatMap((each) => each.changes);
  if (changes.length === 0) return [];
  const goes = left.some(({ stays }) => stays) ? undefined : highestEmpty(under, content, isOld);
  const rest = goes === undefined ? changes : [{ path: goes, value: undefined }];
  return goes !== undefined && goes.length < under.length
    ? rest
    : [...rest, ...looseFixed(table, applyChanges(content, rest), before)];
}

/** The table, or the highest parent that contains only the table. Undefined: it existed before installation. */
function highestEmpty(
  under: readonly string[],
  content: unknown,
  isOld: (path: NativePath) => boolean,
): NativePath | undefined {
  let highest: NativePath | undefined;
  for (let length = under.length; length > 0; length -= 1) {
    const path = under.slice(0, length);
    if (isOld(path) || (highest && !isEmptied(content, [{ path: highest, value: undefined }], path))) break;
    highest = path;
  }
  return highest;
}

/** Values we added next to the table are removed too, unless other entries may need them. */
function looseFixed({ under, fixed }: HookTable, left: unknown, before: unknown): ConfigChange[] {
  const container = under.slice(0, -1);
  const context = valueAtNative(left, container);
  const isAloneThere = isPlainObject(context) && Object.keys(context).every((key) => Object.hasOwn(fixed, key));
  return Object.entries(fixed).flatMap(([key, value]): ConfigChange[] => {
    const path = [...container, key];
    const goes = before === undefined ? isAloneThere : valueAtNative(before, path) === undefined;
    return goes && sameContent(valueAtNative(left, path), value) ? [{ path, value: undefined }] : [];
  });
}

/** Whether the content has entries of ours. */
export function hasOwn(table: HookTable, content: unknown): boolean {
  return Object.values(tableOf(table, content)).some(
    (list) => Array.isArray(list) && ownPlaces(table, list).length > 0,
  );
}

/** Index of the entry, and of the hook within a shared group. */
type Position = readonly [at: number, inner: number | undefined];

function ownPlaces({ agent, grouped }: HookTable, list: readonly unknown[]): Position[] {
  return list.flatMap((entry, at): Position[] => {
    if (!grouped) return isOwnEntry(entry, agent) ? [[at, undefined]] : [];
    const hooks = hooksIn(entry);
    const own = hooks.flatMap((hook, inner): Position[] => (isOwnEntry(hook, agent) ? [[at, inner]] : []));
    return own.length > 0 && own.length === hooks.length ? [[at, undefined]] : own;
  });
}

function withoutOwn(table: HookTable, list: readonly unknown[], event: string): ConfigChange[] {
  return removals([...table.under, event], ownPlaces(table, list));
}

/** From last to first, so that removals do not shift positions. */
function removals(path: NativePath, positions: readonly Position[]): ConfigChange[] {
  return positions.toReversed().map(([at, inner]) => ({
    path: inner === undefined ? [...path, at] : [...path, at, 'hooks', inner],
    value: undefined,
  }));
}

function hooksIn(group: unknown): readonly unknown[] {
  return isPlainObject(group) && Array.isArray(group.hooks) ? group.hooks : [];
}

function isEmptied(content: unknown, changes: readonly ConfigChange[], path: NativePath): boolean {
  const left = valueAtNative(applyChanges(content, changes), path);
  return Array.isArray(left) ? left.length === 0 : isPlainObject(left) && Object.keys(left).length === 0;
}

function tableOf({ under }: HookTable, content: unknown): Record<string, unknown> {
  for (let length = 0; length <= under.length; length += 1) {
    const path = under.slice(0, length);
    const value = valueAtNative(content, path);
    if (value === undefined || value === null) return {};
    if (!isPlainObject(value)) throw new HookShapeError(path, 'a table');
    if (length === under.length) return value;
  }
  return {};
}

/** Undefined: no list. Other keys next to the event lists are not validated. */
function listOf(table: HookTable, content: unknown, event: string): readonly unknown[] | undefined {
  const path = [...table.under, event];
  const list = valueAtNative(content, path);
  if (list === undefined || list === null) return undefined;
  if (Array.isArray(list)) return list;
  if (table.wanted.some((wanted) => wanted.event === event)) throw new HookShapeError(path, 'a list');
  return undefined;
}
