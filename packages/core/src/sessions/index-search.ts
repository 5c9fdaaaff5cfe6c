import type { DatabaseSync } from 'node:sqlite';
import type { SessionHit } from '../contract/session-queries.ts';

const DEFAULT_HITS = 20;
const SNIPPET_WORDS = 16;
const SNIPPET_CHARACTERS = 120;
/** Around what was found. No text of the index has them. */
const OPEN = '\u0001';
const CLOSE = '\u0002';
/** Scripts without spaces between words: the index knows only whole runs of them, so that they are looked for one by one. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export interface FoundText {
  id: number;
  snippet: SessionHit['snippet'];
}

interface Condition {
  sql: string;
  values: (string | number)[];
}

/** The words of a search: what stands in quotes is one. */
function searchWords(words: string): string[] {
  return [...words.matchAll(/"([^"]*)"|\S+/g)]
    .map(([whole, quoted]) => (quoted ?? whole.replaceAll('"', '')).trim())
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
}

export function findText(
  database: DatabaseSync,
  words: string,
  where: Condition,
  limit: number = DEFAULT_HITS,
): FoundText[] {
  const wanted = searchWords(words);
  if (wanted.length === 0) return [];
  if (wanted.some((word) => UNSPACED.test(word))) return findAnywhere(database, wanted, where, limit);
  // A title weighs more than a prompt, and that more than an answer.
  return database
    .prepare(
      `SELECT s.id, snippet(texts, -1, '${OPEN}', '${CLOSE}', '…', ${SNIPPET_WORDS}) AS found
         FROM texts JOIN sessions s ON s.id = texts.rowid
         WHERE texts MATCH ? AND ${where.sql} ORDER BY bm25(texts, 10.0, 4.0, 1.0), s.updated_at DESC LIMIT ?`,
    )
    .all(matchOf(wanted), ...where.values, limit)
    .map((row) => ({ id: Number(row.id), snippet: marked(String(row.found)) }));
}

/** Quoted, so that nothing that a person types is an operator. The last word may be unfinished. */
function matchOf(words: readonly string[]): string {
  const quoted = words.map((word) => `"${word.replaceAll('"', '')}"`);
  return `${quoted.join(' AND ')}*`;
}

function findAnywhere(database: DatabaseSync, words: readonly string[], where: Condition, limit: number): FoundText[] {
  const lower = words.map((word) => word.toLowerCase());
  const text = `(t.title || char(10) || t.prompts || char(10) || t.answers)`;
  const each = lower.map(() => `instr(lower(${text}), ?) > 0`).join(' AND ');
  return database
    .prepare(
      `SELECT s.id, ${text} AS found FROM texts t JOIN sessions s ON s.id = t.rowid
         WHERE ${each} AND ${where.sql} ORDER BY s.updated_at DESC LIMIT ?`,
    )
    .all(...lower, ...where.values, limit)
    .map((row) => ({ id: Number(row.id), snippet: around(String(row.found), lower[0] ?? '') }));
}

function marked(text: string): SessionHit['snippet'] {
  return text
    .split(OPEN)
    .flatMap((part, index) => {
      if (index === 0) return [{ text: part, match: false }];
      const [match = '', ...rest] = part.split(CLOSE);
      return [
        { text: match, match: true },
        { text: rest.join(''), match: false },
      ];
    })
    .filter((part) => part.text !== '');
}

function around(text: string, word: string): SessionHit['snippet'] {
  const at = text.toLowerCase().indexOf(word);
  const from = Math.max(0, at - SNIPPET_CHARACTERS / 2);
  const end = at + word.length;
  return [
    { text: `${from > 0 ? '…' : ''}${text.slice(from, at)}`, match: false },
    { text: text.slice(at, end), match: true },
    { text: `${text.slice(end, end + SNIPPET_CHARACTERS / 2)}…`, match: false },
  ].filter((part) => part.text !== '');
}
