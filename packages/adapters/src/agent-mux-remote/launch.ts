import { join } from 'node:path';
import { flagEach, type ResolvedRunOptions, type SpawnArgs, ValidationError } from '@agent-mux/core';

/** Name of the agent that the other `amux` runs; set in `RunOptions.env`. */
const REMOTE_AGENT_VARIABLE = 'AMUX_REMOTE_AGENT';
const DEFAULT_REMOTE_AGENT = 'claude';

const MCP_FILE = 'mcp.json';
const SCHEMA_FILE = 'output-schema.json';
const SYSTEM_PROMPT_BYTES = 100_000;

/** `amux run --json`, with every option as its flag: prompt on stdin, variables by name, settings in files. */
export function launchRemote(options: ResolvedRunOptions): SpawnArgs {
  const { [REMOTE_AGENT_VARIABLE]: agent = DEFAULT_REMOTE_AGENT, ...env } = options.env ?? {};
  const files: Record<string, string> = {};
  const inFile = (name: string, value: unknown): string | undefined => {
    if (value === undefined) return undefined;
    files[name] = JSON.stringify(value);
    return `@${join(options.scratchDir, name)}`;
  };
  if (Buffer.byteLength(options.systemPrompt ?? '') > SYSTEM_PROMPT_BYTES) {
    const problem = `must fit into an argument for another amux (${SYSTEM_PROMPT_BYTES} bytes)`;
    throw new ValidationError('run options', [{ field: 'systemPrompt', problem }], { agent: options.agent });
  }
  const servers = Object.keys(options.mcpServers ?? {}).length > 0 ? options.mcpServers : undefined;
  const args = [
    ...['run', '--json', '--file', '-'],
    ...one('agent', agent),
    ...one('run-id', options.runId),
    ...(options.nativePermissionMode ? [] : one('approval-mode', options.approvalMode)),
    ...one('native-permission-mode', options.nativePermissionMode),
    ...one('model', options.model),
    ...one('effort', options.thinkingEffort),
    ...one('thinking-budget', options.thinkingBudgetTokens),
    ...one('thinking-override', options.thinkingOverride && JSON.stringify(options.thinkingOverride)),
    ...one('system-prompt', options.systemPrompt),
    ...one('system-prompt-mode', options.systemPrompt === undefined ? undefined : options.systemPromptMode),
    ...one('output-schema', inFile(SCHEMA_FILE, options.outputSchema)),
    ...one('resume', options.sessionId),
    ...one('fork', options.forkSessionId),
    ...(options.noSession ? ['--no-session'] : []),
    ...one('max-turns', options.maxTurns),
    ...many('allow-tool', options.allowedTools),
    ...many('deny-tool', options.deniedTools),
    ...many('add-dir', options.addDirs),
    ...many('skill', options.skills),
    ...many(
      'attach',
      options.attachments.map(({ path }) => path),
    ),
    ...one('mcp-config', inFile(MCP_FILE, servers)),
    ...many('env', Object.keys(env)),
    ...(options.inheritEnv ? ['--inherit-env'] : []),
    ...(options.includeRaw ? ['--raw'] : []),
    ...(options.debug ? ['--debug'] : []),
  ];
  return {
    command: 'amux',
    args,
    env,
    cwd: options.cwd,
    usePty: false,
    stdin: options.prompt,
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
}

/** An empty value counts as a value. */
function one(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

function many(name: string, values: readonly string[] | undefined): string[] {
  return flagEach(`--${name}`, values);
}
