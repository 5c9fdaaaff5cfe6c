import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readRegularFileSync, stateFolder } from '@agent-mux/core/light';

/** Maximum number of prompts stored. */
const MAX_PROMPTS = 500;
/** Longer prompts are not stored. */
const LONGEST = 10_000;
const FILE_LIMIT = 16 * 1024 * 1024;

function historyFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateFolder(env), 'history.jsonl');
}

/** Earlier prompts, oldest first. An unreadable file counts as empty. */
export function readHistory(file: string = historyFile()): string[] {
  try {
    return readRegularFileSync(file, { limit: FILE_LIMIT })
      .toString('utf8')
      .split('\n')
      .flatMap(promptOn)
      .slice(-MAX_PROMPTS);
  } catch {
    return [];
  }
}

/** Adds a prompt, readable by its owner only. Other processes may add theirs meanwhile. Failures are ignored. */
export function addToHistory(prompt: string, file: string = historyFile()): void {
  if (prompt.trim() === '' || prompt.length > LONGEST) return;
  const stored = readHistory(file);
  if (stored.at(-1) === prompt) return;
  const lines = [...stored, prompt].slice(-MAX_PROMPTS).map((one) => `${JSON.stringify(one)}\n`);
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, lines.join(''), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

function promptOn(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? [value] : [];
  } catch {
    return [];
  }
}
