import { parseDocument } from '@decimalturn/toml-patch';
import { lineStarts } from '../documents/line-index.ts';
import type { NativePath } from './codecs.ts';

/** A range of the text, by offsets. */
export interface Span {
  start: number;
  end: number;
}

/** `key = value` with its whole path. */
interface Row extends Span {
  path: NativePath;
  value: Span;
}

/** A heading with its rows, up to the next heading; the first of a document has no heading and an empty path. */
export interface Section {
  path: NativePath;
  /** The heading itself. */
  heading: Span;
  rows: Row[];
}

/** The sections in the order of the text, the root first. */
export function sectionsOf(text: string): Section[] {
  const starts = lineStarts(text);
  const span = ({ start, end }: Location): Span => ({
    start: (starts[start.line - 1] ?? 0) + start.column,
    end: (starts[end.line - 1] ?? 0) + end.column,
  });
  const root: Section = { path: [], heading: { start: 0, end: 0 }, rows: [] };
  const sections = [root];
  const lists = new Map<string, number>();
  for (const block of parseDocument(text).cst) {
    if (block.type === 'Comment') continue;
    if (block.type === 'KeyValue') {
      root.rows.push({ path: block.key.value, ...span(block.loc), value: span(block.value.loc) });
      continue;
    }
    const keys = block.key.item.value;
    if (block.type === 'TableArray') lists.set(keys.join('\0'), (lists.get(keys.join('\0')) ?? -1) + 1);
    const path = withIndexes(keys, lists);
    const rows = block.items.flatMap((row): Row[] =>
      row.type === 'KeyValue'
        ? [{ path: [...path, ...row.key.value], ...span(row.loc), value: span(row.value.loc) }]
        : [],
    );
    sections.push({ path, heading: span(block.key.loc), rows });
  }
  return sections;
}

interface Location {
  start: { line: number; column: number };
  end: { line: number; column: number };
}

/** `[a.b]` after `[[a]]` belongs to the last entry of that list. */
function withIndexes(keys: readonly string[], lists: ReadonlyMap<string, number>): NativePath {
  return keys.flatMap((key, index) => {
    const listIndex = lists.get(keys.slice(0, index + 1).join('\0'));
    return listIndex === undefined ? [key] : [key, listIndex];
  });
}
