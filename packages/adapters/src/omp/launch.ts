import { join } from 'node:path';
import type { ResolvedRunOptions, SpawnArgs } from '@agent-mux/core';
import { flag, systemPrompt } from '../pi-family/index.ts';
import { approvalLevel, settings } from './settings.ts';

const SETTINGS_FILE = 'omp-settings.yml';
/** Its name stands before those of its servers, in the names of their tools. */
const PLUGIN = 'mux';

export function launchOmp(options: ResolvedRunOptions): SpawnArgs {
  const rpc = options.mode === 'rpc';
  const files: Record<string, string> = { [SETTINGS_FILE]: settings(options) };
  const args = [
    '--mode',
    rpc ? 'rpc' : 'json',
    '--no-title',
    '--approval-mode',
    approvalLevel(options),
    '--config',
    join(options.scratchDir, SETTINGS_FILE),
    ...flag('--model', options.model),
    ...flag('--thinking', options.thinkingEffort),
    ...session(options),
    ...systemPrompt(options, files),
    ...(options.addDirs ?? []).flatMap((path) => ['--add-dir', path]),
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
    ...(rpc ? {} : { stdin: options.prompt }),
  };
}

function session(options: ResolvedRunOptions): string[] {
  if (options.noSession) return ['--no-session'];
  if (options.forkSessionId) return ['--fork', options.forkSessionId];
  return flag('--resume', options.sessionId);
}

/** There is no option for servers, but a plugin may bring some. */
function mcpServers(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  if (!options.mcpServers) return [];
  files[`${PLUGIN}/.mcp.json`] = JSON.stringify({ mcpServers: options.mcpServers });
  return ['--plugin-dir', join(options.scratchDir, PLUGIN)];
}

/** `mcp__<plugin>_<server>_<tool>`, in small letters, all else as underscores. */
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
