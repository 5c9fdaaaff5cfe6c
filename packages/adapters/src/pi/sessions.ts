import { join } from 'node:path';
import { expandPath } from '@agent-mux/core';
import { familySessions } from '../pi-family/index.ts';
import { CONFIG_HOME } from './home.ts';

const ROOT = `${CONFIG_HOME}/sessions`;

export const SESSION_STORE = familySessions({ agent: 'pi', root: ROOT });

/**
 * One folder per working directory: its path between dashes, separators replaced by `-`. A configured folder holds all.
 */
export function sessionDir(cwd?: string): string {
  const chosen = process.env.PI_CODING_AGENT_SESSION_DIR;
  if (chosen) return expandPath(chosen);
  const root = expandPath(ROOT);
  return cwd === undefined ? root : join(root, `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`);
}
