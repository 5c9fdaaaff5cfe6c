import { type ApprovalMode, type ResolvedRunOptions, THINKING_EFFORTS } from '@agent-mux/core';
import { linkedSkills } from '../shared/skill-folder.ts';

type Policy = 'allow' | 'deny' | 'prompt';

const EDITS = ['edit', 'write', 'ast_edit'];
const COMMANDS = ['bash', 'eval', 'task', 'browser', 'debug', 'ssh'];

/**
 * Without a level omp 18.2 runs everything. `always-ask` allows read-only tools; its level for edits would allow the
 * tools of MCP servers too, so edits are allowed by name.
 */
export function approvalLevel({ nativePermissionMode, approvalMode }: ResolvedRunOptions): string {
  return nativePermissionMode ?? (approvalMode === 'yolo' ? 'yolo' : 'always-ask');
}

/** A settings file that overrides those of the user and the project. */
export function settings(options: ResolvedRunOptions): string {
  const approval = policies(options);
  const asks = approvalLevel(options) !== 'yolo';
  return JSON.stringify({
    // Otherwise it waits silently for as long as the model asks it to: the engine does the waiting. Its own first
    // retries after a lost connection are sooner than this.
    retry: { maxDelayMs: 2000 },
    tools: {
      approval,
      // Each tool is then called by its name; otherwise some are reached by `write`, and allowed with it.
      ...(asks || options.mcpServers ? { xdev: false } : {}),
    },
    // Replaces the directories of the user's own settings: lists are not joined.
    ...(options.skills?.length ? { skills: { customDirectories: linkedSkills(options).folders } } : {}),
    ...(options.thinkingBudgetTokens === undefined ? {} : { thinkingBudgets: budgets(options.thinkingBudgetTokens) }),
    // A project's patterns would win over the setting of the tool.
    ...(approval.bash === 'prompt' ? { bash: { patterns: [] } } : {}),
  });
}

/** Budget of each effort: the same value for all of them. */
function budgets(tokens: number): Record<string, number> {
  return Object.fromEntries(THINKING_EFFORTS.filter((effort) => effort !== 'off').map((effort) => [effort, tokens]));
}

/** Per tool, because project settings may allow one. */
function policies(options: ResolvedRunOptions): Record<string, Policy> {
  const { approvalMode, nativePermissionMode, allowedTools = [], deniedTools = [] } = options;
  const allowed = approvalMode === 'plan' ? [] : allowedTools;
  return {
    ...(nativePermissionMode ? {} : MODE_POLICIES[approvalMode]),
    ...all(allowed, 'allow'),
    ...all(deniedTools, 'deny'),
  };
}

const MODE_POLICIES: Readonly<Record<ApprovalMode, Record<string, Policy>>> = {
  prompt: all([...EDITS, ...COMMANDS], 'prompt'),
  deny: all([...EDITS, ...COMMANDS], 'prompt'),
  plan: all([...EDITS, ...COMMANDS], 'deny'),
  'accept-edits': { ...all(EDITS, 'allow'), ...all(COMMANDS, 'prompt') },
  yolo: {},
};

function all(tools: readonly string[], policy: Policy): Record<string, Policy> {
  return Object.fromEntries(tools.map((tool) => [tool, policy]));
}
