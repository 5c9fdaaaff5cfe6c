import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { ExtensionKind, ExtensionLocation, ExtensionScope } from '../contract/skills.ts';
import { expandPath } from '../files/paths.ts';
import { isWithin } from '../files/within.ts';

/** Main file of a skill, in a folder with the skill's name. */
export const SKILL_FILE = 'SKILL.md';

export interface ExtensionContext {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Undefined: the agent has no such folder. */
export function locationOf(
  adapter: AgentAdapter,
  kind: ExtensionKind,
  scope: ExtensionScope,
  { cwd, env }: ExtensionContext,
): ExtensionLocation | undefined {
  const { skills, subagents } = adapter.extensionFolders ?? {};
  const written = (kind === 'skill' ? skills : subagents)?.[scope];
  if (written === undefined) return undefined;
  return { agent: adapter.agent, kind, scope, folder: expandPath(written, env, cwd) };
}

/** Path of the extension with this name: the folder of a skill, or the file of a subagent. */
export function pathIn({ kind, folder }: ExtensionLocation, name: string): string {
  return join(folder, kind === 'skill' ? name : `${name}.md`);
}

/**
 * Throws if a folder of the project is a link that leads out of it: the author of the project would choose where files
 * are written. The folder itself need not exist yet. The user's own folders may be anywhere.
 */
export async function assertStaysInProject({ scope, folder }: ExtensionLocation, cwd: string): Promise<void> {
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
        hint: `${at} resolves to ${real}; nothing was written`,
      });
    }
    if (at === dirname(at)) return;
    at = dirname(at);
  }
}
