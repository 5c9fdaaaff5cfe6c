import { join } from 'node:path';
import {
  type ApprovalMode,
  flag,
  flagEach,
  type ResolvedRunOptions,
  type SpawnArgs,
  type ThinkingEffort,
  wholeUuid,
} from '@agent-mux/core';
import { skillFolder } from '../shared/skill-folder.ts';
import { uuidOf } from '../shared/uuid.ts';

const EFFORTS: Readonly<Record<ThinkingEffort, string>> = {
  off: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

/** A process per turn cannot ask: anything not allowed here fails. */
const ONESHOT_PERMISSIONS: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = {
  plan: ['--plan'],
  deny: [],
  'accept-edits': ['--allow-tool=write'],
  yolo: ['--allow-all'],
};

const MCP_FILE = 'copilot-mcp.json';

export function launchCopilot(options: ResolvedRunOptions): SpawnArgs {
  const acp = options.mode === 'acp';
  const args = acp
    ? ['--acp', '--no-auto-update']
    : ['--output-format', 'json', '--no-color', '--no-ask-user', '--no-auto-update', ...sessionArgs(options)];
  if (!acp)
    args.push(
      ...(options.nativePermissionMode
        ? flag('--mode', options.nativePermissionMode)
        : (ONESHOT_PERMISSIONS[options.approvalMode] ?? [])),
    );
  args.push(...flag('--model', options.model));
  if (options.thinkingEffort) args.push('--reasoning-effort', EFFORTS[options.thinkingEffort]);
  args.push(...flagEach('--allow-tool', options.allowedTools));
  args.push(...flagEach('--deny-tool', options.deniedTools));
  args.push(...flagEach('--add-dir', options.addDirs));
  // A folder with a SKILL.md is a plugin of one skill.
  args.push(...flagEach('--plugin-dir', options.skills?.map(skillFolder)));
  const files: Record<string, string> = {};
  if (options.mcpServers) {
    files[MCP_FILE] = JSON.stringify({ mcpServers: mcpConfig(options) });
    args.push(...flag('--additional-mcp-config', `@${join(options.scratchDir, MCP_FILE)}`));
  }
  return {
    command: 'copilot',
    args,
    // With a custom provider, ACP of 1.0.79 reads only the environment variable.
    env: acp && options.model !== undefined ? { COPILOT_MODEL: options.model } : {},
    cwd: options.cwd,
    usePty: false,
    files,
    ...(acp ? {} : { stdin: options.prompt }),
  };
}

/** The stream names the session only in its last line, so a new one gets its id from us. */
export function sessionIdOf(options: ResolvedRunOptions): string {
  if (options.sessionId) return options.sessionId;
  return uuidOf(options.runId);
}

/** `--resume` also accepts a name and the prefix of an id. */
function sessionArgs(options: ResolvedRunOptions): string[] {
  const { sessionId } = options;
  return sessionId ? flag('--resume', wholeUuid('sessionId', sessionId)) : flag('--session-id', sessionIdOf(options));
}

function mcpConfig(options: ResolvedRunOptions): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options.mcpServers ?? {}).map(([name, server]) => {
      if ('url' in server)
        return [name, { type: server.type, url: server.url, headers: server.headers ?? {}, tools: ['*'] }];
      return [
        name,
        { type: 'local', command: server.command, args: server.args ?? [], env: server.env ?? {}, tools: ['*'] },
      ];
    }),
  );
}
