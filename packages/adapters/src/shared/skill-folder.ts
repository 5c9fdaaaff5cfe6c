import { basename, dirname } from 'node:path';

/** The folder of the skill itself: beside it others may lie that nobody asked for. */
export function skillFolder(path: string): string {
  return basename(path) === 'SKILL.md' ? dirname(path) : path;
}
