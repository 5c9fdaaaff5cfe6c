import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { ExtensionKind, ExtensionPlace, ExtensionScope } from '../contract/skills.ts';
import { expandPath } from '../files/paths.ts';
import { isWithin } from '../files/within.ts';

/** The file of a skill, in a folder of the skill's name. */
export const SKILL_FILE = 'SKILL.md';

export interface Around {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Undefined: the agent has no such folder. */
export function placeOf(
  adapter: AgentAdapter,
  kind: ExtensionKind,
  scope: ExtensionScope,
  { cwd, env }: Around,
): ExtensionPlace | undefined {
  const { skills, subagents } = adapter.extensionFolders ?? {};
  const written = (kind === 'skill' ? skills : subagents)?.[scope];
  if (written === undefined) return undefined;
  return { agent: adapter.agent, kind, scope, folder: expandPath(written, env, cwd) };
}

/** Where the thing of this name lies: a folder of a skill, the file of a sub-agent. */
export function pathIn({ kind, folder }: ExtensionPlace, name: string): string {
  return join(folder, kind === 'skill' ? name : `${name}.md`);
}

/**
 * Throws where a folder of the project is a link that leads out of it: whoever made the project would choose what is
 * written where. The folder itself need not be there yet. What is the user's own may lie wherever they have put it.
 */
export async function assertStaysInProject({ scope, folder }: ExtensionPlace, cwd: string): Promise<void> {
  if (scope === 'global') return;
  const root = await realpath(cwd);
  let at = folder;
  for (;;) {
    const real = await realpath(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (real !== undefined) {
      if (isWithin(root, real)) return;
      throw new AgentMuxError('VALIDATION_ERROR', `${folder} leads out of the project ${cwd}`, {
        hint: `${at} is really ${real}; nothing was written`,
      });
    }
    if (at === dirname(at)) return;
    at = dirname(at);
  }
}
