import type { z } from 'zod';
import { type ApprovalMode, THINKING_EFFORTS } from '../contract/capabilities.ts';
import type { RunOptions } from '../contract/options.ts';
import { durationInWords } from '../duration.ts';
import type { RunProfileSchema } from '../run/options/option-schemas.ts';
import {
  DEFAULT_AFTER_TOOL_MS,
  DEFAULT_APPROVAL_TIMEOUT_MS,
  DEFAULT_INACTIVITY_MS,
  DEFAULT_RETRY_POLICY,
} from '../run/options/options.ts';

type ProfileOption = keyof z.infer<typeof RunProfileSchema>;

/**
 * What a profile of a project's file may set. Whoever clones a repository has not agreed to what it says.
 * `no`: it would run a command, open a folder, hand out a variable, speak or answer in the user's name, or hide a trace.
 * `tighter`: not beyond what holds without it. A new option must be given its place here; docs/configuration.md says why.
 */
export const PROJECT_MAY_SET: Readonly<Record<ProfileOption, 'yes' | 'tighter' | 'no'>> = {
  agent: 'tighter',
  mode: 'yes',
  model: 'yes',
  systemPrompt: 'no',
  systemPromptMode: 'no',
  thinkingEffort: 'tighter',
  thinkingBudgetTokens: 'tighter',
  thinkingOverride: 'no',
  approvalMode: 'tighter',
  nativePermissionMode: 'no',
  allowedTools: 'no',
  // They add up (see `mergeOptions`): what the user denies stays denied.
  deniedTools: 'yes',
  mcpServers: 'no',
  skills: 'no',
  addDirs: 'no',
  attachments: 'no',
  cwd: 'no',
  env: 'no',
  inheritEnv: 'no',
  invocation: 'no',
  tracePath: 'no',
  noSession: 'no',
  timeout: 'tighter',
  inactivityTimeout: 'tighter',
  afterToolTimeout: 'tighter',
  approvalTimeout: 'tighter',
  maxTurns: 'tighter',
  retryPolicy: 'tighter',
  outputSchema: 'yes',
  tags: 'yes',
  hooks: 'no',
  interactive: 'yes',
  includeRaw: 'yes',
  debug: 'yes',
};

export type ProfileFault = [field: keyof RunOptions, problem: string];

/** What a project's file may not say in a profile, whatever the user's own says. */
export function findUntrusted(profile: Record<string, unknown>): ProfileFault[] {
  return projectOptions('no')
    .filter((key) => Object.hasOwn(profile, key))
    .map((key) => [key, "may not be set by a project's file, only by the user's own"]);
}

export function projectOptions(say: 'yes' | 'tighter' | 'no'): ProfileOption[] {
  return (Object.keys(PROJECT_MAY_SET) as ProfileOption[]).filter((key) => PROJECT_MAY_SET[key] === say);
}

const LOOSENESS: Readonly<Record<ApprovalMode, number>> = { plan: 0, deny: 0, prompt: 1, 'accept-edits': 2, yolo: 3 };

/** Milliseconds that hold where nobody says any. 0: no limit. */
const LIMITS = {
  timeout: 0,
  inactivityTimeout: DEFAULT_INACTIVITY_MS,
  afterToolTimeout: DEFAULT_AFTER_TOOL_MS,
  approvalTimeout: DEFAULT_APPROVAL_TIMEOUT_MS,
};

/**
 * What in a project's profile goes beyond what holds without it: `own` is the user's profile of that name, over what the
 * client was given. `defined` are the agents that the user has defined, with permissions of their own.
 */
export function findLooser(
  own: Partial<RunOptions>,
  said: Partial<RunOptions>,
  defined: readonly string[] = [],
): ProfileFault[] {
  const found: ProfileFault[] = [];
  const { approvalMode = 'prompt' } = own;
  if (said.approvalMode && LOOSENESS[said.approvalMode] > LOOSENESS[approvalMode]) {
    const whose = own.approvalMode ? "of the user's own profile" : 'that holds without it';
    found.push(['approvalMode', `is looser than the ${approvalMode} ${whose}`]);
  }
  if (said.agent !== undefined && said.agent !== own.agent) {
    if (own.agent !== undefined) found.push(['agent', `is another than the ${own.agent} of the user's own profile`]);
    else if (defined.includes(said.agent)) {
      found.push(['agent', `is one that the user has defined, which only the user's own profile may choose`]);
    }
  }
  for (const [field, usual] of Object.entries(LIMITS) as [keyof typeof LIMITS, number][]) {
    const limit = own[field] ?? usual;
    const asked = said[field];
    if (asked !== undefined && limit !== 0 && (asked === 0 || asked > limit)) {
      found.push([field, `is longer than the ${durationInWords(limit)} that hold without it`]);
    }
  }
  for (const field of ['maxTurns', 'thinkingBudgetTokens'] as const) {
    if (said[field] !== undefined && own[field] !== undefined && said[field] > own[field]) {
      found.push([field, `is more than the ${own[field]} of the user's own profile`]);
    }
  }
  if (said.thinkingEffort && own.thinkingEffort && rank(said.thinkingEffort) > rank(own.thinkingEffort)) {
    found.push(['thinkingEffort', `is more than the ${own.thinkingEffort} of the user's own profile`]);
  }
  return [...found, ...findMoreRetries(own, said)];
}

function findMoreRetries(
  { retryPolicy: own }: Partial<RunOptions>,
  { retryPolicy: said }: Partial<RunOptions>,
): ProfileFault[] {
  const { maxRetries, retryOn } = { ...DEFAULT_RETRY_POLICY, ...own };
  if (said?.maxRetries !== undefined && said.maxRetries > maxRetries) {
    return [['retryPolicy', `retries more often than the ${maxRetries} times that hold without it`]];
  }
  const added = said?.retryOn?.filter((code) => !retryOn.includes(code)) ?? [];
  return added.length > 0 ? [['retryPolicy', `retries after ${added.join(', ')}, unlike what holds without it`]] : [];
}

function rank(effort: NonNullable<RunOptions['thinkingEffort']>): number {
  return THINKING_EFFORTS.indexOf(effort);
}

/**
 * `prompt` holds anyway. Said by a project it would count as the caller's choice, and so stand over what the user's own
 * definition of an agent says of permissions.
 */
export function withoutIdlePrompt(own: Partial<RunOptions>, said: Partial<RunOptions>): Partial<RunOptions> {
  if (said.approvalMode !== 'prompt' || own.approvalMode !== undefined) return said;
  const { approvalMode: _prompt, ...rest } = said;
  return rest;
}
