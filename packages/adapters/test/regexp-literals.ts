import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Literal {
  /** `core/src/run/redact.ts:12`. */
  where: string;
  pattern: RegExp;
}

/** Every regular expression in the sources of these folders, without tests. */
export function regexpLiterals(root: string, folders: readonly string[]): Literal[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name);
        return literalsIn(readFileSync(path, 'utf8')).map(({ line, pattern }) => ({
          where: `${relative(root, path)}:${line}`,
          pattern,
        }));
      }),
  );
}

/**
 * Tokens: a string or a comment, skipped; a word or a number; a regular expression, if allowed there; anything else.
 */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w$]+|\/(?:[^/[\\\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*|\s+|[\s\S]/gy;
/** After these a slash divides. */
const ENDS_VALUE = /^[\w$)\]}]/;
const KEYWORD = /^(?:return|typeof|case|in|of|do|else|void|await|yield|default|export)$/;

function literalsIn(source: string): { line: number; pattern: RegExp }[] {
  const found: { line: number; pattern: RegExp }[] = [];
  const lines = (end: number) => source.slice(0, end).split('\n').length;
  /** Number of open braces in each open template. */
  const templates: number[] = [];
  let before = '';
  let at = 0;
  /** To the end of a template, or to its next expression. */
  const passTemplate = () => {
    for (; at < source.length && source[at] !== '`'; at += 1) {
      if (source[at] === '\\') at += 1;
      else if (source.startsWith('${', at)) {
        templates.push(0);
        at += 2;
        return;
      }
    }
    at += 1;
  };
  while (at < source.length) {
    TOKEN.lastIndex = at;
    let token = TOKEN.exec(source)?.[0] ?? source.charAt(at);
    const isRegExp = token.length > 1 && token.startsWith('/') && !/^\/[/*]/.test(token);
    if (isRegExp && ENDS_VALUE.test(before) && !KEYWORD.test(before)) token = '/';
    else if (isRegExp) {
      const end = token.lastIndexOf('/');
      found.push({ line: lines(at), pattern: new RegExp(token.slice(1, end), token.slice(end + 1)) });
    }
    at += token.length;
    if (/^\s|^\/[/*]/.test(token)) continue;
    before = token;
    const open = templates.at(-1);
    if (token === '`') passTemplate();
    else if (token === '{' && open !== undefined) templates[templates.length - 1] = open + 1;
    else if (token === '}' && open !== undefined) {
      if (open > 0) templates[templates.length - 1] = open - 1;
      else {
        templates.pop();
        passTemplate();
      }
    }
    if (token === '`') before = ')';
  }
  return found;
}
