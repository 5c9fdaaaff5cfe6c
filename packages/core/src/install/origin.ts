import { constants, existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InstallMethod } from '../contract/capabilities.ts';
import { openRegularFile } from '../files/regular-file.ts';

/** How a binary was installed, according to its location. */
export interface InstallOrigin {
  /** `other`: a method without an install method. */
  type: InstallMethod['type'] | 'other';
  path: string;
  /** Human-readable name of the installer. */
  by?: string;
  package?: string;
  prefix?: string;
}

/** Patterns of the real path; the first match wins. */
const PLACES: readonly { pattern: RegExp; type: InstallOrigin['type']; by?: string }[] = [
  { pattern: /\/(?:Cellar|Caskroom)\//, type: 'brew' },
  { pattern: /\/nix\/store\//, type: 'nix' },
  { pattern: /\/\.bun\//, type: 'other', by: 'bun' },
  { pattern: /\/pnpm\//, type: 'other', by: 'pnpm' },
  { pattern: /\/\.volta\//, type: 'other', by: 'volta' },
  { pattern: /\/pipx\//, type: 'other', by: 'pipx' },
  { pattern: /\/uv\/tools\//, type: 'other', by: 'uv' },
  { pattern: /^(?<prefix>.*)\/lib\/node_modules\/(?<package>(?:@[^/]+\/)?[^/]+)\//, type: 'npm' },
  { pattern: /\/node_modules\//, type: 'other', by: 'npm for one project' },
  { pattern: /\/site-packages\//, type: 'pip' },
];

export async function originOf(cliPath: string, methods: readonly InstallMethod[]): Promise<InstallOrigin | null> {
  const path = (await realpath(cliPath).catch(() => cliPath)).replaceAll('\\', '/');
  for (const { pattern, type, by } of PLACES) {
    const match = pattern.exec(path);
    if (match) return { type, path, ...(by ? { by } : {}), ...match.groups };
  }
  const shim = findNpmShim(cliPath, methods);
  if (shim) return { type: 'npm', path, ...shim };
  return (await isPythonScript(path)) ? { type: 'pip', path } : null;
}

/** On Windows the command is a small script next to the folder of packages, not a link. */
function findNpmShim(
  cliPath: string,
  methods: readonly InstallMethod[],
): { prefix: string; package: string } | undefined {
  if (!/\.(?:cmd|ps1|exe)$/i.test(cliPath)) return undefined;
  const prefix = dirname(cliPath);
  for (const { type, command } of methods) {
    const name = type === 'npm' ? command.split(' ').at(-1) : undefined;
    if (name && existsSync(join(prefix, 'node_modules', name))) return { prefix, package: name };
  }
  return undefined;
}

async function isPythonScript(path: string): Promise<boolean> {
  try {
    await using file = await openRegularFile(path, constants.O_RDONLY);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(200), 0, 200, 0);
    return /^#!.*python/.test(buffer.toString('latin1', 0, bytesRead));
  } catch {
    return false;
  }
}
