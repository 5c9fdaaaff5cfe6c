import type { z } from 'zod';
import { type ApprovalMode, THINKING_EFFORTS } from '../contract/capabilities.ts';
import type { RunOptions } from '../contract/options.ts';
import { formatDuration } from '../duration.ts';
import type { RunProfileSchema } from '../run/options/option-schemas.ts';
import {
  DEFAULT_AFTER_TOOL_MS,
  DEFAULT_APPROVAL_TIMEOUT_MS,
  DEFAULT_INACTIVITY_MS,
  DEFAULT_RETRY_POLICY,
} from '../run/options/options.ts';

type ProfileOption = keyof z.infer<typeof RunProfileSchema>;

/**
 * What a profile in a project's file may set. Cloning a repository does not imply consent to its settings. `no`: the
 * option could run a command, open a folder, expose a variable, speak or answer in the user's name, or hide a trace.
 * `tighter`: it must not exceed what applies without the profile. Every new option must be listed here;
 * docs/configuration.md says why.
 */
export const PROJECT_ALLOWED_OPTIONS: Readonly<Record<ProfileOption, 'yes' | 'tighter' | 'no'>> = {
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
  // Denials add up (see `mergeOptions`): what the user denies stays denied.
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

export type ProfileIssue = [field: keyof RunOptions, problem: string];

/** Options that a project's profile may never set. */
export function findUntrusted(profile: Record<string, unknown>): ProfileIssue[] {
  return projectOptions('no')
    .filter((key) => Object.hasOwn(profile, key))
    .map((key) => [key, "may not be set by a project's file, only by the user's own"]);
}

export function projectOptions(say: 'yes' | 'tighter' | 'no'): ProfileOption[] {
  return (Object.keys(PROJECT_ALLOWED_OPTIONS) as ProfileOption[]).filter(
    (key) => PROJECT_ALLOWED_OPTIONS[key] === say,
  );
}

const LOOSENESS: Readonly<Record<ApprovalMode, number>> = { plan: 0, deny: 0, prompt: 1, 'accept-edits': 2, yolo: 3 };

/** Default timeouts in milliseconds. 0: no limit. */
const LIMITS = {
  timeout: 0,
  inactivityTimeout: DEFAULT_INACTIVITY_MS,
  afterToolTimeout: DEFAULT_AFTER_TOOL_MS,
  approvalTimeout: DEFAULT_APPROVAL_TIMEOUT_MS,
};

/**
 * Options of a project's profile that exceed what applies without it: `own` is the user's profile of that name, merged
 * over the client's defaults. `defined` are the agents the user has defined, with their own permissions.
 */
export function findLoosenedOptions(
  own: Partial<RunOptions>,
  profile: Partial<RunOptions>,
  defined: readonly string[] = [],
): ProfileIssue[] {
  const found: ProfileIssue[] = [];
  const { approvalMode = 'prompt' } = own;
  if (profile.approvalMode && LOOSENESS[profile.approvalMode] > LOOSENESS[approvalMode]) {
    const limit = own.approvalMode ? `"${approvalMode}" of the user's own profile` : `the default "${approvalMode}"`;
    found.push(['approvalMode', `is looser than ${limit}`]);
  }
  if (profile.agent !== undefined && profile.agent !== own.agent) {
    if (own.agent !== undefined) found.push(['agent', `differs from "${own.agent}" of the user's own profile`]);
    else if (defined.includes(profile.agent)) {
      found.push(['agent', `is defined by the user and can only be chosen by the user's own profile`]);
    }
  }
  for (const [field, usual] of Object.entries(LIMITS) as [keyof typeof LIMITS, number][]) {
    const limit = own[field] ?? usual;
    const value = profile[field];
    if (value !== undefined && limit !== 0 && (value === 0 || value > limit)) {
      found.push([field, `is longer than the limit of ${formatDuration(limit)}`]);
    }
  }
  for (const field of ['maxTurns', 'thinkingBudgetTokens'] as const) {
    if (profile[field] !== undefined && own[field] !== undefined && profile[field] > own[field]) {
      found.push([field, `is more than ${own[field]} of the user's own profile`]);
    }
  }
  if (profile.thinkingEffort && own.thinkingEffort && rank(profile.thinkingEffort) > rank(own.thinkingEffort)) {
    found.push(['thinkingEffort', `is more than "${own.thinkingEffort}" of the user's own profile`]);
  }
  return [...found, ...findMoreRetries(own, profile)];
}

function findMoreRetries(
  { retryPolicy: own }: Partial<RunOptions>,
  { retryPolicy: profile }: Partial<RunOptions>,
): ProfileIssue[] {
  const { maxRetries, retryOn } = { ...DEFAULT_RETRY_POLICY, ...own };
  if (profile?.maxRetries !== undefined && profile.maxRetries > maxRetries) {
    return [['retryPolicy', `exceeds the limit of ${maxRetries} retries`]];
  }
  const added = profile?.retryOn?.filter((code) => !retryOn.includes(code)) ?? [];
  return added.length > 0 ? [['retryPolicy', `adds retries after ${added.join(', ')}`]] : [];
}

function rank(effort: NonNullable<RunOptions['thinkingEffort']>): number {
  return THINKING_EFFORTS.indexOf(effort);
}

/**
 * `prompt` is the default anyway. Set by a project it would count as the caller's choice and override the permissions
 * of the user's agent definition.
 */
export function withoutIdlePrompt(own: Partial<RunOptions>, profile: Partial<RunOptions>): Partial<RunOptions> {
  if (profile.approvalMode !== 'prompt' || own.approvalMode !== undefined) return profile;
  const { approvalMode: _prompt, ...rest } = profile;
  return rest;
}
