import type { Item } from '../../../data/items.ts';
import { subjectOf, textOf } from '../tool.logic.ts';

/** Indexes of the items that contain the query, case-insensitive. */
export function findItems(items: readonly Item[], query: string): number[] {
  return items.flatMap((item, at) => (matchesQuery(item, query) ? [at] : []));
}

/** An initial search. `near`: some of the text around the match. */
export interface Wanted {
  text: string;
  near: string;
}

/**
 * The first item that contains the text and shares most of its context. If no item contains the whole text, for example
 * because of a line break, each word is searched separately. Null: only the title matches.
 */
export function findWanted(items: readonly Item[], { text, near }: Wanted): { text: string; at: number } | null {
  const context = wordsOf(near);
  for (const each of [text, ...text.split(/\s+/)]) {
    let best: { at: number; shared: number } | null = null;
    for (const at of findItems(items, each)) {
      const itemWords = new Set(textsOf(items[at]!).flatMap(wordsOf));
      const shared = context.filter((word) => itemWords.has(word)).length;
      if (best === null || shared > best.shared) best = { at, shared };
    }
    if (best !== null) return { text: each, at: best.at };
  }
  return null;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Whether the item or anything nested in it contains the query, collapsed or not. */
export function matchesQuery(item: Item, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  return wanted !== '' && textsOf(item).some((text) => text.toLowerCase().includes(wanted));
}

/** The match after or before `at`, wrapping around at the ends. */
export function stepFound(found: readonly number[], at: number | null, by: 1 | -1): number | null {
  if (found.length === 0) return null;
  if (at === null) return (by === 1 ? found[0] : found.at(-1)) ?? null;
  const next = by === 1 ? found.find((each) => each > at) : found.findLast((each) => each < at);
  return next ?? (by === 1 ? found[0] : found.at(-1)) ?? null;
}

function textsOf(item: Item): string[] {
  switch (item.kind) {
    case 'user':
      return [item.text, ...item.attachments.map(({ name }) => name)];
    case 'text':
    case 'thinking':
    case 'note':
      return [item.text];
    case 'tool':
      return [
        item.name,
        subjectOf(item),
        textOf(item.input),
        textOf(item.output),
        item.liveOutput,
        item.error ?? '',
        ...item.changes.map(({ path }) => path),
        ...item.children.flatMap(textsOf),
      ];
    case 'plan':
      return item.entries.map(({ content }) => content);
    case 'error':
      return [item.title, item.message, item.hint ?? '', item.detail ?? ''];
    case 'file':
      return [item.name, item.path ?? ''];
    default:
      return [];
  }
}
