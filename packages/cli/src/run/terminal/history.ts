import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readRegularFileSync, stateFolder } from '@agent-mux/core/light';

/** So many prompts are kept, the newest. */
const KEPT = 500;
/** A longer one is not kept: nobody looks for it with an arrow key. */
const LONGEST = 10_000;
const FILE_LIMIT = 16 * 1024 * 1024;

function historyFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateFolder(env), 'history.jsonl');
}

/** What was typed into conversations before, the oldest first. A file that cannot be read is an empty one. */
export function readHistory(file: string = historyFile()): string[] {
  try {
    return readRegularFileSync(file, { limit: FILE_LIMIT }).toString('utf8').split('\n').flatMap(promptOn).slice(-KEPT);
  } catch {
    return [];
  }
}

/** Adds one, for its owner alone to read. Others may have added theirs meanwhile. That it cannot be kept stops nothing. */
export function addToHistory(prompt: string, file: string = historyFile()): void {
  if (prompt.trim() === '' || prompt.length > LONGEST) return;
  const kept = readHistory(file);
  if (kept.at(-1) === prompt) return;
  const lines = [...kept, prompt].slice(-KEPT).map((one) => `${JSON.stringify(one)}\n`);
  const beside = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(beside, lines.join(''), { mode: 0o600, flag: 'wx' });
    renameSync(beside, file);
  } catch {
    rmSync(beside, { force: true });
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
