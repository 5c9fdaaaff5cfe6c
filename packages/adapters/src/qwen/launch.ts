import { join } from 'node:path';
import {
  flag,
  flagEach,
  type McpServer,
  type ResolvedRunOptions,
  type SpawnArgs,
  wholeUuid,
  withoutSeparator,
} from '@agent-mux/core';
import { linkedSkills } from '../shared/skill-folder.ts';
import { QWEN_DIALECT } from './events.ts';
import { mentionedFiles } from './prompt.ts';

const STREAM = ['--output-format', 'stream-json', '--include-partial-messages'];
const MCP_FILE = 'mcp.json';
const SKILLS_FILE = 'skill-settings.json';

export function launchQwen(options: ResolvedRunOptions): SpawnArgs {
  const live = options.mode === 'live';
  const files: Record<string, string> = {};
  const args = [
    ...STREAM,
    ...(live ? ['--input-format', 'stream-json'] : []),
    ...flag(
      '--approval-mode',
      options.nativePermissionMode ?? QWEN_DIALECT.permissionModes[options.approvalMode] ?? 'default',
    ),
    ...flag('--model', options.model),
    ...session(options),
    ...flag(
      options.systemPromptMode === 'replace' ? '--system-prompt' : '--append-system-prompt',
      options.systemPrompt,
    ),
    ...flag('--max-session-turns', options.maxTurns),
    ...each('--allowed-tools', 'allowedTools', options.allowedTools),
    ...each('--exclude-tools', 'deniedTools', options.deniedTools),
    ...each('--add-dir', 'addDirs', options.addDirs),
    ...mcpServers(options, files),
    ...flag('--json-schema', options.outputSchema && JSON.stringify(options.outputSchema)),
  ];
  return {
    command: 'qwen',
    args,
    env: { ...options.env, ...skills(options, files) },
    cwd: options.cwd,
    usePty: false,
    ...(live ? {} : { stdin: mentionedFiles({ text: options.prompt, attachments: options.attachments }) }),
    ...(options.skills?.length ? { links: linkedSkills(options).links } : {}),
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
}

function session(options: ResolvedRunOptions): string[] {
  if (options.noSession) return ['--chat-recording=false'];
  const { sessionId, forkSessionId } = options;
  if (forkSessionId) return [...flag('--resume', wholeUuid('forkSessionId', forkSessionId)), '--fork-session'];
  return flag('--resume', wholeUuid('sessionId', sessionId));
}

/**
 * Lists of skill directories are joined over all settings files; this one has the lowest precedence for everything
 * else.
 */
function skills(options: ResolvedRunOptions, files: Record<string, string>): Record<string, string> {
  const { folders } = linkedSkills(options);
  if (folders.length === 0) return {};
  files[SKILLS_FILE] = JSON.stringify({ skills: { directories: folders } });
  return { QWEN_CODE_SYSTEM_DEFAULTS_PATH: join(options.scratchDir, SKILLS_FILE) };
}

/** In a file: every user of the machine can see the arguments of a process. */
function mcpServers(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const servers = Object.entries(options.mcpServers ?? {});
  if (servers.length === 0) return [];
  const config = JSON.stringify({ mcpServers: Object.fromEntries(servers.map(([name, s]) => [name, native(s)])) });
  files[MCP_FILE] = config;
  return flag('--mcp-config', join(options.scratchDir, MCP_FILE));
}

/** The name of the field determines the transport. */
function native(server: McpServer): Record<string, unknown> {
  if (!('url' in server)) return { command: server.command, args: server.args, env: server.env };
  return { [server.type === 'sse' ? 'url' : 'httpUrl']: server.url, headers: server.headers };
}

/** Commas separate the values of one flag. */
function each(name: string, option: string, values: readonly string[] | undefined): string[] {
  return flagEach(
    name,
    values?.map((value) => withoutSeparator(option, value, ',')),
  );
}
