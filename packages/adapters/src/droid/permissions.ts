import { type ApprovalMode, flag, flagList, type ResolvedRunOptions, type ThinkingEffort } from '@agent-mux/core';
import type { Json } from '../shared/json.ts';

type Permissions = { interactionMode?: string; autonomyLevel?: string };

/**
 * Each was tested with 0.215. `low` allows any command that the model itself calls harmless, so anything beyond reading
 * always asks (`off`), and the edits of `accept-edits` are accepted one by one.
 */
const BY_MODE: Readonly<Record<ApprovalMode, Permissions>> = {
  prompt: { interactionMode: 'auto', autonomyLevel: 'off' },
  'accept-edits': { interactionMode: 'auto', autonomyLevel: 'off' },
  plan: { interactionMode: 'spec', autonomyLevel: 'off' },
  deny: { interactionMode: 'auto', autonomyLevel: 'off' },
  yolo: { interactionMode: 'auto', autonomyLevel: 'high' },
};

/**
 * Tools that Droid never asks for, even in spec mode (seen with 0.215 for the first four): they write a file, plan
 * further runs, or control another process of the user. Only `yolo` has them, or a run that allows them by name.
 */
const NEVER_ASKED_FOR: readonly string[] = [
  'GenerateDroid',
  'GenerateImage',
  'Loop',
  'Task',
  'Script',
  'slack_post_file',
  'slack_post_message',
  'slack_create_or_update_code_channel',
  'slack_archive_code_channel',
];

/** In addition to read-only tools: they ask first, or need no answer. */
const ASKED_FOR: readonly string[] = ['Create', 'Edit', 'ApplyPatch', 'AskUser', 'TodoWrite', 'TaskOutput', 'TaskStop'];

/**
 * Commands that Droid runs without asking in every mode, even in spec mode, and with any arguments: `ls > file` writes
 * (seen with 0.215). On its deny list, which an empty allow list does not replace, they need approval like all others.
 */
const ASKED_FOR_TOO: readonly string[] = [
  'ls',
  'dir',
  'pwd',
  'git status',
  'git diff',
  'git log',
  'git show',
  'git blame',
  'git ls-files',
];

/** Settings that override those of the user, from a file named by an environment variable. */
export const GUARD_SETTINGS: string = JSON.stringify({ commandDenylist: ASKED_FOR_TOO });

const INTERACTION_MODES = ['auto', 'spec', 'agi'];

/** A native mode is an interaction mode, an autonomy level, or both separated by a slash (`auto/low`). */
function nativePermissions(words: string): Permissions {
  const found: Permissions = {};
  for (const word of words.split('/')) {
    if (INTERACTION_MODES.includes(word)) found.interactionMode = word;
    else found.autonomyLevel = word;
  }
  return found;
}

export interface ToolRules {
  allowed: readonly string[];
  denied: readonly string[];
}

/**
 * With one disabled tool Droid offers only read-only ones, Execute among them, unless others are listed. In plan mode
 * nothing runs: spec mode asks for a command, and would then let it change anything.
 */
export function modeSettings(mode: ApprovalMode, { allowed, denied }: ToolRules): Json {
  const permissions = BY_MODE[mode];
  if (mode === 'yolo') return { ...permissions, enabledToolIds: [], disabledToolIds: denied };
  if (mode === 'plan') {
    return { ...permissions, enabledToolIds: [], disabledToolIds: [...denied, ...NEVER_ASKED_FOR, 'Execute'] };
  }
  return {
    ...permissions,
    enabledToolIds: [...ASKED_FOR, ...allowed].filter((name) => !denied.includes(name)),
    disabledToolIds: [...denied, ...NEVER_ASKED_FOR.filter((name) => !allowed.includes(name))],
  };
}

export function effortSettings(effort: ThinkingEffort | undefined): Json {
  // Spec mode has its own effort.
  return effort ? { reasoningEffort: effort, specModeReasoningEffort: effort } : {};
}

export function toolRules({ allowedTools = [], deniedTools = [] }: ResolvedRunOptions): ToolRules {
  return { allowed: [...allowedTools], denied: [...deniedTools] };
}

export function sessionSettings(options: ResolvedRunOptions): Json {
  const { nativePermissionMode, approvalMode, model, thinkingEffort } = options;
  const tools = toolRules(options);
  const permissions = nativePermissionMode
    ? { ...nativePermissions(nativePermissionMode), disabledToolIds: tools.denied }
    : modeSettings(approvalMode, tools);
  return { ...permissions, ...(model ? { modelId: model } : {}), ...effortSettings(thinkingEffort) };
}

/** Exec cannot ask, and by default it runs what the model calls harmless: hence no shell. */
export function execPermissions({
  nativePermissionMode,
  approvalMode,
  deniedTools = [],
}: ResolvedRunOptions): string[] {
  const removed = [...deniedTools];
  const flags: string[] = [];
  if (nativePermissionMode === 'spec') flags.push('--use-spec');
  else if (nativePermissionMode === 'skip-permissions-unsafe') flags.push('--skip-permissions-unsafe');
  else if (nativePermissionMode) flags.push(...flag('--auto', nativePermissionMode));
  else if (approvalMode === 'yolo') flags.push('--skip-permissions-unsafe');
  else {
    if (approvalMode === 'plan') flags.push('--use-spec');
    removed.push('Execute');
  }
  return [...flags, ...flagList('--remove-tools', 'deniedTools', removed)];
}
