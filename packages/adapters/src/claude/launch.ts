import { join } from 'node:path';
import type { McpServer, ResolvedRunOptions, SpawnArgs } from '@agent-mux/core';
import { CLAUDE_DIALECT } from './events.ts';
import { promptText } from './prompt.ts';

/** A single argument may have 128 KiB on Linux; longer texts go through a file. */
const MAX_ARGUMENT_BYTES = 100_000;

const STREAM = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages', '--forward-subagent-text'];
const TWO_WAYS = ['--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'];
/** Nobody can be asked: what would ask is denied, and the stream says so. */
const ONE_WAY = ['--permission-prompts', 'none'];

export function launchClaude(options: ResolvedRunOptions): SpawnArgs {
  const live = options.mode === 'live';
  const files: Record<string, string> = {};
  const args = [
    '-p',
    ...STREAM,
    ...(live ? TWO_WAYS : ONE_WAY),
    '--permission-mode',
    options.nativePermissionMode ?? CLAUDE_DIALECT.permissionModes[options.approvalMode] ?? 'default',
    ...flag('--model', options.model),
    ...flag('--effort', options.thinkingEffort),
    ...session(options),
    ...systemPrompt(options, files),
    ...flag('--max-turns', options.maxTurns),
    ...list('--allowedTools', options.allowedTools),
    ...list('--disallowedTools', options.deniedTools),
    ...list('--add-dir', options.addDirs),
    ...mcpServers(options, files),
    ...flag('--json-schema', options.outputSchema && JSON.stringify(options.outputSchema)),
  ];
  return {
    command: 'claude',
    args,
    env: { ...options.env },
    cwd: options.cwd,
    usePty: false,
    ...(live ? {} : { stdin: promptText({ text: options.prompt, attachments: options.attachments }) }),
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
}

function session(options: ResolvedRunOptions): string[] {
  if (options.noSession) return ['--no-session-persistence'];
  if (options.forkSessionId) return ['--resume', options.forkSessionId, '--fork-session'];
  return flag('--resume', options.sessionId);
}

/**
 * A session keeps the system prompt that it began with, and a resume with another text would be ignored; without the
 * snapshot the text of this run counts (seen with 2.1.325).
 */
function systemPrompt(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const text = options.systemPrompt;
  if (!text) return [];
  const name = options.systemPromptMode === 'replace' ? '--system-prompt' : '--append-system-prompt';
  const again = options.sessionId || options.forkSessionId ? ['--system-prompt-snapshot', 'off'] : [];
  if (Buffer.byteLength(text) <= MAX_ARGUMENT_BYTES) return [name, text, ...again];
  files['system-prompt.md'] = text;
  return [`${name}-file`, join(options.scratchDir, 'system-prompt.md'), ...again];
}

/** In a file: the arguments of a process are seen by everybody on the machine. */
function mcpServers(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const servers = Object.entries(options.mcpServers ?? {});
  if (servers.length === 0) return [];
  const config = JSON.stringify({ mcpServers: Object.fromEntries(servers.map(([name, s]) => [name, native(s)])) });
  files['mcp.json'] = config;
  return ['--mcp-config', join(options.scratchDir, 'mcp.json')];
}

function native(server: McpServer): McpServer {
  return 'url' in server ? server : { ...server, type: 'stdio' };
}

function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined || value === '' || value === 0 ? [] : [name, String(value)];
}

function list(name: string, values: readonly string[] | undefined): string[] {
  return values && values.length > 0 ? [name, ...values] : [];
}
