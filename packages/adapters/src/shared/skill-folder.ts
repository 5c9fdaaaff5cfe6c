import { basename, dirname, join } from 'node:path';
import { CapabilityError, type ResolvedRunOptions } from '@agent-mux/core';

/** The folder of the skill itself: its parent may hold others that were not requested. */
export function skillFolder(path: string): string {
  return basename(path) === 'SKILL.md' ? dirname(path) : path;
}

/**
 * For agents that need a folder of skills instead of a skill: a folder for each, which holds only a link to it.
 * `folders` are those, `links` is for `SpawnArgs`.
 */
export function linkedSkills(options: ResolvedRunOptions): { folders: string[]; links: Record<string, string> } {
  const { agent, skills = [], invocation, scratchDir } = options;
  if (skills.length > 0 && invocation.mode !== 'local') {
    throw new CapabilityError(agent, 'skills', `${agent} supports skills on this host only (option skills)`);
  }
  const names = skills.map((_, index) => join('skills', String(index)));
  return {
    folders: names.map((name) => join(scratchDir, name)),
    links: Object.fromEntries(
      skills.map((path, index) => [
        join(names[index] ?? '', basename(skillFolder(path)) || 'skill'),
        skillFolder(path),
      ]),
    ),
  };
}
