import { join } from 'node:path';
import {
  CapabilityError,
  flag,
  flagEach,
  type McpServer,
  type ResolvedRunOptions,
  type SpawnArgs,
  wholeUuid,
} from '@agent-mux/core';
import { skillFolder } from '../shared/skill-folder.ts';
import { CLAUDE_DIALECT } from './events.ts';
import { promptText } from './prompt.ts';

/** A single argument may have 128 KiB on Linux; longer texts go through a file. */
const MAX_ARGUMENT_BYTES = 100_000;

const STREAM = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages', '--forward-subagent-text'];
const TWO_WAYS = ['--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'];
/** This mode cannot ask: requests are denied, and the stream reports it. */
const ONE_WAY = ['--permission-prompts', 'none'];

export function launchClaude(options: ResolvedRunOptions): SpawnArgs {
  const live = options.mode === 'live';
  const files: Record<string, string> = {};
  const args = [
    '-p',
    ...STREAM,
    ...(live ? TWO_WAYS : ONE_WAY),
    ...flag('--permission-mode', permissionMode(options)),
    ...flag('--model', options.model),
    ...flag('--effort', options.thinkingEffort),
    ...flag('--max-thinking-tokens', budgetOf(options)),
    ...session(options),
    ...systemPrompt(options, files),
    ...flag('--max-turns', options.maxTurns),
    // With `=` each of these takes one value; without it, all that follow.
    ...flagEach('--allowedTools', options.allowedTools),
    ...flagEach('--disallowedTools', options.deniedTools),
    ...flagEach('--add-dir', options.addDirs),
    ...mcpServers(options, files),
    // A folder with a SKILL.md is a plugin of one skill.
    ...flagEach('--plugin-dir', options.skills?.map(skillFolder)),
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

function permissionMode({ nativePermissionMode, approvalMode }: ResolvedRunOptions): string {
  return nativePermissionMode ?? CLAUDE_DIALECT.permissionModes[approvalMode] ?? 'default';
}

/** `--resume` also accepts the name of a session. */
function session({ noSession, sessionId, forkSessionId }: ResolvedRunOptions): string[] {
  if (noSession) return ['--no-session-persistence'];
  if (forkSessionId) return [...flag('--resume', wholeUuid('forkSessionId', forkSessionId)), '--fork-session'];
  return flag('--resume', wholeUuid('sessionId', sessionId));
}

/**
 * A session keeps its first system prompt, and a resume with another text would be ignored; without the snapshot the
 * text of this run applies (seen with 2.1.325).
 */
function systemPrompt(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const text = options.systemPrompt;
  if (!text) return [];
  const name = options.systemPromptMode === 'replace' ? '--system-prompt' : '--append-system-prompt';
  const again = options.sessionId || options.forkSessionId ? ['--system-prompt-snapshot', 'off'] : [];
  if (Buffer.byteLength(text) <= MAX_ARGUMENT_BYTES) return [...flag(name, text), ...again];
  files['system-prompt.md'] = text;
  return [...flag(`${name}-file`, join(options.scratchDir, 'system-prompt.md')), ...again];
}

/** In a file: every user of the machine can see the arguments of a process. */
function mcpServers(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const servers = Object.entries(options.mcpServers ?? {});
  if (servers.length === 0) return [];
  const config = JSON.stringify({ mcpServers: Object.fromEntries(servers.map(([name, s]) => [name, native(s)])) });
  files['mcp.json'] = config;
  return flag('--mcp-config', join(options.scratchDir, 'mcp.json'));
}

function native(server: McpServer): McpServer {
  return 'url' in server ? server : { ...server, type: 'stdio' };
}

/** Models up to 4.5. Later ones choose their own budget: the CLI drops it silently (seen with 2.1.325). */
const WITH_BUDGET = /^claude-(?:3-7-sonnet|(?:opus|sonnet|haiku)-4(?:-[0-5])?)(?:-latest|-\d{8})?$/;

function budgetOf({ agent, model, thinkingBudgetTokens }: ResolvedRunOptions): number | undefined {
  if (thinkingBudgetTokens === undefined) return undefined;
  if (model === undefined || !WITH_BUDGET.test(model))
    throw new CapabilityError(
      agent,
      'thinkingBudgetTokens',
      `${model ?? 'the default model'} of Claude Code takes no thinking budget: only models up to 4.5 do`,
      'use thinkingEffort, or a model up to 4.5 such as claude-haiku-4-5',
    );
  return thinkingBudgetTokens;
}
