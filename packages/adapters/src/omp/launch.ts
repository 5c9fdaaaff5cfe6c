import { join } from 'node:path';
import {
  flag,
  flagEach,
  type McpServer,
  type ResolvedRunOptions,
  type SpawnArgs,
  ValidationError,
} from '@agent-mux/core';
import { session, systemPrompt } from '../pi-family/index.ts';
import { linkedSkills } from '../shared/skill-folder.ts';
import { approvalLevel, settings } from './settings.ts';

const SETTINGS_FILE = 'omp-settings.yml';
/** Prefix of the server names, in the names of their tools. */
const PLUGIN = 'mux';

export function launchOmp(options: ResolvedRunOptions): SpawnArgs {
  const rpc = options.mode === 'rpc';
  const files: Record<string, string> = { [SETTINGS_FILE]: settings(options) };
  const args = [
    '--mode',
    rpc ? 'rpc' : 'json',
    '--no-title',
    ...flag('--approval-mode', approvalLevel(options)),
    ...flag('--config', join(options.scratchDir, SETTINGS_FILE)),
    ...flag('--model', options.model),
    ...flag('--thinking', options.thinkingEffort),
    ...session('--resume', options),
    ...systemPrompt(options, files),
    ...flagEach('--add-dir', options.addDirs),
    ...mcpServers(options, files),
    ...(rpc ? [] : options.attachments.map(({ path }) => `@${path}`)),
  ];
  return {
    command: 'omp',
    args,
    env: { ...options.env },
    cwd: options.cwd,
    usePty: false,
    files,
    ...(options.skills?.length ? { links: linkedSkills(options).links } : {}),
    ...(rpc ? {} : { stdin: options.prompt }),
  };
}

/** omp has no option for servers, but a plugin may bring some. */
function mcpServers(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  if (!options.mcpServers) return [];
  for (const [name, server] of Object.entries(options.mcpServers)) refuseExpansion(name, server);
  files[`${PLUGIN}/.mcp.json`] = JSON.stringify({ mcpServers: options.mcpServers });
  return flag('--plugin-dir', join(options.scratchDir, PLUGIN));
}

/** omp 18.2 runs a value that starts with `!` as a command, and substitutes `${NAME}`: neither can be escaped. */
function refuseExpansion(name: string, server: McpServer): void {
  const [field, values] = 'url' in server ? ['headers', server.headers] : ['env', server.env];
  for (const [key, value] of Object.entries(values ?? {})) {
    if (!value.startsWith('!') && !value.includes('${')) continue;
    const problem = 'starts with ! or contains ${: omp would run a command or substitute a variable';
    throw new ValidationError('run options', [{ field: `mcpServers.${name}.${field}.${key}`, problem }]);
  }
}

/** `mcp__<plugin>_<server>_<tool>`, in lower case, everything else as underscores. */
export function mcpPrefixes(options: ResolvedRunOptions): Record<string, string> {
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, '');
  return Object.fromEntries(
    Object.keys(options.mcpServers ?? {}).map((name) => [`mcp__${plain(`${PLUGIN}:${name}`)}_`, name]),
  );
}
