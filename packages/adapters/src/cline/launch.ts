import { join } from 'node:path';
import type { ApprovalMode, ResolvedRunOptions, SpawnArgs, ThinkingEffort } from '@agent-mux/core';
import { clinePrompt } from './prompt.ts';

/** Without `--auto-approve` everything is allowed. With `false` every tool is refused, since this mode cannot ask. */
const PERMISSIONS: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = {
  plan: ['--plan', '--auto-approve=false'],
  deny: ['--auto-approve=false'],
  yolo: ['--auto-approve=true'],
};

const EFFORTS: Readonly<Partial<Record<ThinkingEffort, string>>> = {
  off: 'none',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
};

/** Folder of the session; in the scratch folder it is deleted with the run. */
const SESSION_FOLDERS = ['CLINE_SESSION_DATA_DIR', 'CLINE_DB_DATA_DIR', 'CLINE_TEAM_DATA_DIR'];
const MCP_FILE = 'cline-mcp.json';
const PROMPT_FILE = 'prompt.md';

export function launchCline(options: ResolvedRunOptions): SpawnArgs {
  const { nativePermissionMode, approvalMode, thinkingEffort, model, systemPrompt } = options;
  const permissions = nativePermissionMode
    ? [`--auto-approve=${nativePermissionMode}`]
    : (PERMISSIONS[approvalMode] ?? PERMISSIONS.deny!);
  const effort = thinkingEffort && EFFORTS[thinkingEffort];
  const { argument, rest } = clinePrompt(options);
  const args = [
    '--json',
    ...permissions,
    ...(effort ? [`--thinking=${effort}`] : []),
    ...(model ? [`--model=${model}`] : []),
    ...(systemPrompt !== undefined && options.systemPromptMode === 'replace' ? [`--system=${systemPrompt}`] : []),
    '--',
    argument,
  ];
  const files: Record<string, string> = {};
  const env: Record<string, string> = {
    CLINE_NO_AUTO_UPDATE: '1',
    // Otherwise it starts a hub, a process that keeps running.
    CLINE_SESSION_BACKEND_MODE: 'local',
    // `desktop` would wait for an answer in a file.
    CLINE_TOOL_APPROVAL_MODE: '',
  };
  if (options.noSession) {
    for (const name of SESSION_FOLDERS) env[name] = join(options.scratchDir, name.toLowerCase());
  }
  if (options.mcpServers) {
    files[MCP_FILE] = JSON.stringify({ mcpServers: options.mcpServers });
    env.CLINE_MCP_SETTINGS_PATH = join(options.scratchDir, MCP_FILE);
  }
  const common = { env, cwd: options.cwd, usePty: false, files };
  if (rest === undefined) return { command: 'cline', args, ...common };
  files[PROMPT_FILE] = rest;
  const redirected = ['-c', 'exec cline "$@" < "$0"', join(options.scratchDir, PROMPT_FILE), ...args];
  return { command: 'sh', args: redirected, ...common };
}
