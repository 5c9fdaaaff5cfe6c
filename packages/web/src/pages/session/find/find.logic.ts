import type { Item } from '../../../data/items.ts';
import { subjectOf, textOf } from '../tool.logic.ts';

/** Where something is found: the indexes of the items that have it, in order. Upper and lower case are the same. */
export function findItems(items: readonly Item[], words: string): number[] {
  return items.flatMap((item, at) => (hasWords(item, words) ? [at] : []));
}

/** What is looked for from the start. `near`: some of the text around it. */
export interface Wanted {
  words: string;
  near: string;
}

/**
 * The item that has the words and most of the text around them, the first of several. Where no item has them together, as when
 * a line ends between them, each alone. Null: only the title has them.
 */
export function findWanted(items: readonly Item[], { words, near }: Wanted): { words: string; at: number } | null {
  const around = wordsOf(near);
  for (const each of [words, ...words.split(/\s+/)]) {
    let best: { at: number; shared: number } | null = null;
    for (const at of findItems(items, each)) {
      const own = new Set(textsOf(items[at]!).flatMap(wordsOf));
      const shared = around.filter((word) => own.has(word)).length;
      if (best === null || shared > best.shared) best = { at, shared };
    }
    if (best !== null) return { words: each, at: best.at };
  }
  return null;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Itself or anything within it, folded or not. */
export function hasWords(item: Item, words: string): boolean {
  const wanted = words.trim().toLowerCase();
  return wanted !== '' && textsOf(item).some((text) => text.toLowerCase().includes(wanted));
}

/** The place after or before `at` among those that were found; around at the ends. */
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
    case 'trouble':
      return [item.title, item.message, item.remedy ?? '', item.detail ?? ''];
    case 'file':
      return [item.name, item.path ?? ''];
    default:
      return [];
  }
}
