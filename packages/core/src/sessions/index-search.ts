import type { DatabaseSync } from 'node:sqlite';
import type { SessionHit } from '../contract/session-queries.ts';

const DEFAULT_HITS = 20;
const SNIPPET_CHARACTERS = 120;
/** Characters of text that are searched together. */
const SEEN_AT_ONCE = 64 * 1024;
/**
 * Scripts without spaces between words: the index only has whole runs of them, so each word is searched as a substring.
 */
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

/** The words of a search: quoted text is one word. */
function splitWords(words: string): string[] {
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
  const wanted = splitWords(words);
  if (wanted.length === 0) return [];
  if (wanted.some((word) => UNSPACED.test(word))) return findAnywhere(database, wanted, where, limit);
  // A title weighs more than a prompt, which weighs more than an answer.
  const found = database
    .prepare(
      `SELECT s.id FROM texts JOIN sessions s ON s.id = texts.rowid
         WHERE texts MATCH ? AND ${where.sql} ORDER BY bm25(texts, 10.0, 4.0, 1.0), s.updated_at DESC LIMIT ?`,
    )
    .all(matchOf(wanted), ...where.values, limit);
  // Not by the search index: it compares each position of a word with all others, even for sessions that are not shown.
  const texts = database.prepare('SELECT title, prompts, answers FROM texts WHERE rowid = ?');
  return found.map((row) => {
    const { title, prompts, answers } = texts.get(row.id ?? null) ?? {};
    return { id: Number(row.id), snippet: showFirstMatch([title, prompts, answers].map(String), wanted) };
  });
}

/** The text around the first of the words, in the first text that has one. */
function showFirstMatch(texts: readonly string[], words: readonly string[]): SessionHit['snippet'] {
  const sought = createPattern(words);
  for (const text of texts) {
    for (let at = 0; at < text.length; at += SEEN_AT_ONCE) {
      // A word may start in one piece and end in the next.
      const piece = stripAccents(text.slice(Math.max(0, at - SNIPPET_CHARACTERS), at + SEEN_AT_ONCE));
      const found = piece.search(sought);
      if (found !== -1) return markWords(piece, Math.max(0, found - SNIPPET_CHARACTERS / 2), sought);
    }
  }
  return [];
}

/**
 * Matches words as the search index does: whole words, ignoring case and accents; the last may be a prefix. Punctuation
 * within a phrase is ignored.
 */
function createPattern(words: readonly string[]): RegExp {
  const phrases = words.map((word, index) => {
    const parts = stripAccents(word).match(/[\p{L}\p{N}]+/gu) ?? [];
    return parts.join('[^\\p{L}\\p{N}]{1,20}') + (index === words.length - 1 ? '[\\p{L}\\p{N}]{0,60}' : '');
  });
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${phrases.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}

/** Most text has no accents, and removing them is slow. */
function stripAccents(text: string): string {
  return /[^\u0000-\u007f]/.test(text) ? text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC') : text;
}

function markWords(text: string, from: number, sought: RegExp): SessionHit['snippet'] {
  const to = from + SNIPPET_CHARACTERS;
  const shown = text.slice(from, to);
  const parts: SessionHit['snippet'] = [];
  let before = from > 0 ? '…' : '';
  let at = 0;
  for (const { index, 0: match } of shown.matchAll(sought)) {
    parts.push({ text: before + shown.slice(at, index), match: false }, { text: match, match: true });
    before = '';
    at = index + match.length;
  }
  parts.push({ text: before + shown.slice(at) + (to < text.length ? '…' : ''), match: false });
  return parts.filter((part) => part.text !== '');
}

/** Quoted, so that no input is an operator. The last word may be unfinished. */
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
    .map((row) => ({ id: Number(row.id), snippet: showAround(String(row.found), lower[0] ?? '') }));
}

function showAround(text: string, word: string): SessionHit['snippet'] {
  const at = text.toLowerCase().indexOf(word);
  const from = Math.max(0, at - SNIPPET_CHARACTERS / 2);
  const end = at + word.length;
  return [
    { text: `${from > 0 ? '…' : ''}${text.slice(from, at)}`, match: false },
    { text: text.slice(at, end), match: true },
    { text: `${text.slice(end, end + SNIPPET_CHARACTERS / 2)}…`, match: false },
  ].filter((part) => part.text !== '');
}
