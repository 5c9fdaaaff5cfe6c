/** Finds removed words (removed-words.txt) in names, comments, strings and docs. `node check-words.ts [PATH...]` lists them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const LIST = 'scripts/words/removed-words.txt';
/** Recordings hold the agents' own text; the change log keeps what was written then; generated or vendored files follow their sources. */
const SKIPPED =
  /(^|\/)recordings\/|^CHANGELOG\.md$|package-lock\.json$|^scripts\/words\/|^docs\/(verifications|benchmarks)\.json$|\.schema\.json$/;
const CHECKED = /\.(ts|tsx|mts|mjs|md|css|html)$|^\.ci\/run$/;

interface Rule {
  pattern: RegExp;
  instead: string;
  allowed: RegExp[];
}

export function readRules(text: string): Rule[] {
  const rules = new Map<string, Rule>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [first = '', second = '', third = ''] = line.split('\t');
    if (first !== 'allow') rules.set(first, { pattern: wholeWords(first), instead: second, allowed: [] });
    else rules.get(second)?.allowed.push(new RegExp(third)) ?? fail(`no rule "${second}" to allow`);
  }
  return [...rules.values()];
}

function wholeWords(pattern: string): RegExp {
  return new RegExp(`(?<![A-Za-z])(?:${pattern})(?![A-Za-z])`, 'gi');
}

function fail(problem: string): never {
  throw new Error(`${LIST}: ${problem}`);
}

/** `fileName`, `MAX_FILES` and `file-name` are read as words. */
function splitNames(line: string): string {
  return line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
}

export function findRemovedWords(files: readonly { path: string; text: string }[], rules: readonly Rule[]): string[] {
  const found: string[] = [];
  for (const { path, text } of files) {
    const applied = rules.filter(({ allowed }) => !allowed.some((pattern) => pattern.test(path)));
    for (const { pattern, instead } of applied) {
      const inPath = splitNames(path).match(pattern);
      if (inPath) found.push(`${path}: the path has "${inPath[0]}"; write: ${instead}`);
    }
    for (const [at, line] of text.split('\n').entries()) {
      const split = splitNames(line);
      for (const { pattern, instead } of applied) {
        const [hit] = line.match(pattern) ?? split.match(pattern) ?? [];
        if (hit !== undefined) found.push(`${path}:${at + 1}: "${hit}"; write: ${instead}`);
      }
    }
  }
  return found;
}

export function checkWords(paths: readonly string[] = []): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = listed.split('\n').filter((path) => CHECKED.test(path) && !SKIPPED.test(path));
  const rules = readRules(readFileSync(join(root, LIST), 'utf8'));
  return findRemovedWords(
    files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    rules,
  );
}

if (process.argv[1] === import.meta.filename) {
  const found = checkWords(process.argv.slice(2));
  console.log(found.join('\n'));
  console.log(`${found.length} removed words`);
}
