import {
  type ApprovalMode,
  CapabilityError,
  flag,
  type ResolvedRunOptions,
  type SpawnArgs,
  type ThinkingEffort,
} from '@agent-mux/core';
import { uuidOf } from '../shared/uuid.ts';

/**
 * Permission modes of a session: a folder in which files may be changed, and who approves commands. It never asks for
 * changes in that folder, so `prompt` is impossible (2026.9.6). The gateway obeys directives in a prompt; `/elevated`
 * and `/exec` do not lift `read-only` (tested).
 */
const PERMISSION_MODES: Readonly<Partial<Record<ApprovalMode, string>>> = {
  plan: 'read-only',
  deny: 'read-only',
  'accept-edits': 'guarded',
  yolo: 'full',
};

/** A model supports some of them: the gateway lists them when another is requested. */
const THINKING_LEVELS: Readonly<Record<ThinkingEffort, string>> = {
  off: 'off',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

/** Nothing but the protocol is printed on stdout. */
const ENV: Readonly<Record<string, string>> = {
  OPENCLAW_HIDE_BANNER: '1',
  OPENCLAW_SUPPRESS_NOTES: '1',
  OPENCLAW_NO_AUTO_UPDATE: '1',
};

export function launchOpenClaw(options: ResolvedRunOptions): SpawnArgs {
  const common = { env: { ...ENV }, cwd: options.cwd, usePty: false };
  if (options.mode === 'exec')
    return { ...common, command: 'openclaw', args: execArgs(options), stdin: options.prompt };
  const calls = sessionCalls(options).flatMap(({ method, params }) => [method, JSON.stringify(params)]);
  return { ...common, command: 'sh', args: ['-c', BRIDGE, 'openclaw', ...calls] };
}

/**
 * The bridge has no options for folder, model or permissions: they belong to the session, which is therefore created or
 * changed first. Those calls print the session, or the error, on stdout.
 */
const BRIDGE = `while [ $# -gt 0 ]; do
  said=$(openclaw gateway call "$1" --json --params "$2" </dev/null) || { printf '%s\\n' "$said" >&2; exit 1; }
  shift 2
done
exec openclaw acp --no-prefix-cwd`;

/** The key of the session, which is its id for us. `main` is the agent that every gateway has. */
export function sessionKeyOf({ sessionId, runId }: ResolvedRunOptions): string {
  return sessionId ?? `agent:main:amux:${uuidOf(runId)}`;
}

interface GatewayCall {
  method: string;
  params: Record<string, string>;
}

function sessionCalls(options: ResolvedRunOptions): GatewayCall[] {
  const key = sessionKeyOf(options);
  const permissionMode = options.nativePermissionMode ?? PERMISSION_MODES[options.approvalMode] ?? 'read-only';
  const thinking = options.thinkingEffort && THINKING_LEVELS[options.thinkingEffort];
  const params = {
    key,
    cwd: options.cwd,
    permissionMode,
    ...(options.model ? { model: options.model } : {}),
    ...(thinking ? { thinkingLevel: thinking } : {}),
  };
  // It changes an existing session and creates a missing one: so check first whether it exists.
  const made = { method: 'sessions.create', params };
  return options.sessionId ? [{ method: 'sessions.resolve', params: { key } }, made] : [made];
}

function execArgs(options: ResolvedRunOptions): string[] {
  if (options.nativePermissionMode)
    throw new CapabilityError(options.agent, 'nativePermissionMode', 'a run without a gateway has no permission mode');
  const thinking = options.thinkingEffort && THINKING_LEVELS[options.thinkingEffort];
  return [
    'agent',
    'exec',
    '--json',
    '--message-file',
    '-',
    ...flag('--cwd', options.cwd),
    ...flag('--model', options.model),
    ...flag('--thinking', thinking),
  ];
}
