import { isAbsolute } from 'node:path';
import { isRecord } from '../values.ts';
import { nameOf } from './event-shape.ts';

/**
 * Returns why a value is not a valid `SpawnArgs`, or undefined. A NUL would end an argument early, or make the spawn
 * throw.
 */
export function findSpawnIssue(value: unknown): string | undefined {
  if (!isRecord(value)) return `${nameOf(value)}, expected spawn arguments`;
  const wrong = (field: string, due: string) => `spawn arguments whose ${field} is not ${due}`;
  const { command, args, env, cwd, usePty, stdin, shell, files, links, terminal } = value;
  if (!isWord(command) || command === '') return wrong('command', 'a command');
  if (!Array.isArray(args) || !args.every(isWord)) return wrong('args', 'a list of strings without NUL');
  if (!isRecord(env) || !Object.entries(env).every(isVariable)) return wrong('env', 'names with strings');
  if (!isWord(cwd) || cwd === '') return wrong('cwd', 'a path');
  for (const [field, flag] of Object.entries({ usePty, shell })) {
    if (flag !== undefined && typeof flag !== 'boolean') return wrong(field, 'true or false');
  }
  if (stdin !== undefined && typeof stdin !== 'string') return wrong('stdin', 'a string');
  for (const field of ['timeout', 'inactivityTimeout']) {
    const limit = value[field];
    if (limit !== undefined && !isAmount(limit)) return wrong(field, 'a number of milliseconds');
  }
  if (files !== undefined && !(isRecord(files) && Object.entries(files).every(([, text]) => typeof text === 'string')))
    return wrong('files', 'names with strings');
  if (links !== undefined && !(isRecord(links) && Object.entries(links).every(isLink)))
    return wrong('links', 'names with absolute paths');
  if (terminal !== undefined && !(isRecord(terminal) && isAmount(terminal.cols) && isAmount(terminal.rows)))
    return wrong('terminal', 'a size');
  return undefined;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isLink([name, target]: [string, unknown]): boolean {
  return isWord(name) && isWord(target) && isAbsolute(target);
}

function isVariable([name, value]: [string, unknown]): boolean {
  return name !== '' && !name.includes('=') && isWord(name) && (value === undefined || isWord(value));
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
