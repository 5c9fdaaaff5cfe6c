import { join } from 'node:path';
import type { McpServer, ResolvedRunOptions, SpawnArgs } from '@agent-mux/core';
import { QWEN_DIALECT } from './events.ts';
import { mentionedFiles } from './prompt.ts';

const STREAM = ['--output-format', 'stream-json', '--include-partial-messages'];
const MCP_FILE = 'mcp.json';

export function launchQwen(options: ResolvedRunOptions): SpawnArgs {
  const live = options.mode === 'live';
  const files: Record<string, string> = {};
  const args = [
    ...STREAM,
    ...(live ? ['--input-format', 'stream-json'] : []),
    '--approval-mode',
    options.nativePermissionMode ?? QWEN_DIALECT.permissionModes[options.approvalMode] ?? 'default',
    ...flag('--model', options.model),
    ...session(options),
    ...flag(
      options.systemPromptMode === 'replace' ? '--system-prompt' : '--append-system-prompt',
      options.systemPrompt,
    ),
    ...flag('--max-session-turns', options.maxTurns),
    ...list('--allowed-tools', options.allowedTools),
    ...list('--exclude-tools', options.deniedTools),
    ...list('--add-dir', options.addDirs),
    ...mcpServers(options, files),
    ...flag('--json-schema', options.outputSchema && JSON.stringify(options.outputSchema)),
  ];
  return {
    command: 'qwen',
    args,
    env: { ...options.env },
    cwd: options.cwd,
    usePty: false,
    ...(live ? {} : { stdin: mentionedFiles({ text: options.prompt, attachments: options.attachments }) }),
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
}

function session(options: ResolvedRunOptions): string[] {
  if (options.noSession) return ['--chat-recording=false'];
  if (options.forkSessionId) return [`--resume=${options.forkSessionId}`, '--fork-session'];
  return flag('--resume', options.sessionId);
}

/** In a file: the arguments of a process are seen by everybody on the machine. */
function mcpServers(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const servers = Object.entries(options.mcpServers ?? {});
  if (servers.length === 0) return [];
  const config = JSON.stringify({ mcpServers: Object.fromEntries(servers.map(([name, s]) => [name, native(s)])) });
  files[MCP_FILE] = config;
  return ['--mcp-config', join(options.scratchDir, MCP_FILE)];
}

/** The transport is told by the name of the field. */
function native(server: McpServer): Record<string, unknown> {
  if (!('url' in server)) return { command: server.command, args: server.args, env: server.env };
  return { [server.type === 'sse' ? 'url' : 'httpUrl']: server.url, headers: server.headers };
}

/** `=`, so that a value that begins with a dash is none of the options. */
function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined || value === '' || value === 0 ? [] : [`${name}=${value}`];
}

/** Each value has the option before it: a list would swallow what follows. */
function list(name: string, values: readonly string[] | undefined): string[] {
  return (values ?? []).map((value) => `${name}=${value}`);
}
