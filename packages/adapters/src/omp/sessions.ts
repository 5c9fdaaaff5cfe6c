import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { expandPath } from '@agent-mux/core';
import { familySessions } from '../pi-family/index.ts';
import { CONFIG_HOME } from './home.ts';

const ROOT = `${CONFIG_HOME}/sessions`;

/** Next to each file is a folder of its name, for files of subagents and large results. */
export const SESSION_STORE = familySessions({
  agent: 'omp',
  root: ROOT,
  belongings: (path) => [path.replace(/\.jsonl$/, '')],
});

export function sessionDir(cwd?: string): string {
  const chosen = process.env.PI_CODING_AGENT_SESSION_DIR;
  if (chosen) return expandPath(chosen);
  const root = expandPath(ROOT);
  return cwd === undefined ? root : join(root, folderName(resolve(cwd)));
}

/** By the path below the home or the temporary folder, else the whole path between dashes. */
function folderName(cwd: string): string {
  const dashed = (path: string) => path.replace(/[/\\:]/g, '-');
  const below = (root: string) => {
    const path = relative(root, cwd);
    return path.startsWith('..') || isAbsolute(path) ? undefined : dashed(path);
  };
  const inHome = below(homedir());
  if (inHome !== undefined) return `-${inHome}`;
  const inTemp = below(tmpdir());
  if (inTemp !== undefined) return inTemp === '' ? '-tmp' : `-tmp-${inTemp}`;
  return `--${dashed(cwd.replace(/^[/\\]/, ''))}--`;
}
