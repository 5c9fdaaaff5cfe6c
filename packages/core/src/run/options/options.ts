import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { AgentAdapter } from '../../contract/adapter.ts';
import { ValidationError, type ValidationIssue } from '../../contract/errors.ts';
import type { Attachment, ResolvedRunOptions, RetryPolicy, RunOptions } from '../../contract/options.ts';
import { nameScratchFolder } from '../../files/scratch-name.ts';
import { lazyModules } from '../../lazy-modules.ts';
import { suggestNames } from '../../suggest-names.ts';
import { isRecord } from '../../values.ts';
import { attachmentProblem } from './attachments.ts';
import { MAP_OPTIONS, mergeOptions } from './merge-options.ts';
import { mimeTypeOf } from './mime.ts';

/** Default inactivity limit of a turn; long enough for a slow build without output. */
export const DEFAULT_INACTIVITY_MS = 15 * 60_000;
/** Default inactivity limit after a tool result: nothing runs, the model only has to answer. */
export const DEFAULT_AFTER_TOOL_MS = 10 * 60_000;
export const DEFAULT_APPROVAL_TIMEOUT_MS = 5 * 60_000;
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxRetries: 0,
  initialDelayMs: 1000,
  maxDelayMs: 10 * 60_000,
  multiplier: 2,
  retryOn: ['RATE_LIMITED', 'SERVER_ERROR', 'NETWORK_ERROR', 'AGENT_CRASH'],
};

/** Options that a profile may not set, and why: a profile is for many runs. */
export const PROFILE_FORBIDDEN_OPTIONS: Readonly<Partial<Record<keyof RunOptions, string>>> = {
  prompt: 'it belongs to one run',
  profile: 'a profile cannot name another',
  runId: 'it belongs to one run',
  sessionId: 'it belongs to one conversation; use --resume (SDK: sessionId)',
  forkSessionId: 'it belongs to one conversation; use --fork (SDK: forkSessionId)',
  signal: 'it belongs to one run',
  onApprovalRequest: 'it is code',
  onInputRequired: 'it is code',
};

export interface OptionSources {
  profiles: Readonly<Record<string, Partial<RunOptions>>>;
  defaults: Partial<RunOptions>;
  /** The agent's default mode. */
  defaultMode: (agent: string) => string;
}

/** Checks everything that can be checked without the agent, and reports all issues at once. */
export function resolveOptions(input: RunOptions, sources: OptionSources): ResolvedRunOptions {
  const issues: ValidationIssue[] = [];
  const merged = merge(input, sources, issues);
  issues.push(...lazyModules.optionSchemas().findShapeIssues(merged));
  // Fields with a valid shape are checked further, so that all issues appear at once.
  const sound = withoutInvalid(merged, issues);
  const checked = checkMeaning(sound, issues);
  const agent = typeof merged.agent === 'string' ? merged.agent : undefined;
  if (issues.length > 0) throw new ValidationError('run options', issues, { agent });

  const options = merged as RunOptions;
  const runId = options.runId ?? randomUUID();
  const { profile: _profile, ...rest } = options;
  return {
    ...rest,
    ...checked,
    runId,
    approvalMode: options.approvalMode ?? 'prompt',
    approvalModeGiven: options.approvalMode !== undefined,
    modeGiven: options.mode !== undefined,
    cwdGiven: (input.cwd ?? profileOf(input, sources)?.cwd) !== undefined,
    systemPromptMode: options.systemPromptMode ?? 'append',
    inactivityTimeout: options.inactivityTimeout ?? DEFAULT_INACTIVITY_MS,
    afterToolTimeout: options.afterToolTimeout ?? DEFAULT_AFTER_TOOL_MS,
    approvalTimeout: options.approvalTimeout ?? DEFAULT_APPROVAL_TIMEOUT_MS,
    retryPolicy: { ...DEFAULT_RETRY_POLICY, ...options.retryPolicy },
    invocation: options.invocation ?? { mode: 'local' },
    mode: options.mode ?? sources.defaultMode(options.agent),
    scratchDir: nameScratchFolder(),
  };
}

/** Issues in the shape of these values, whatever else is missing. */
export function findOptionIssues(options: Partial<RunOptions>): ValidationIssue[] {
  const issues = lazyModules.optionSchemas().findPartIssues(options);
  for (const field of MAP_OPTIONS) refuseHiddenKeys(options[field], field, issues);
  return issues;
}

/** Checks the values of an agent definition like a caller's, under the names of the options. */
export function applyDefaults(adapter: AgentAdapter, options: ResolvedRunOptions): ResolvedRunOptions {
  const filled = adapter.applyDefaults?.(options) ?? options;
  if (filled === options) return options;
  const issues = findOptionIssues(filled);
  if (filled.cwd !== options.cwd && filled.invocation.mode === 'local') checkFolder(filled.cwd, 'work_dir', issues);
  if (issues.length > 0) throw new ValidationError('agent definition', issues, { agent: options.agent });
  return filled;
}

type Checked = Pick<ResolvedRunOptions, 'prompt' | 'cwd' | 'attachments' | 'skills' | 'addDirs'>;

function checkMeaning(options: Partial<RunOptions>, issues: ValidationIssue[]): Checked {
  const cwd = resolve(options.cwd ?? process.cwd());
  const local = (options.invocation?.mode ?? 'local') === 'local';
  if (local) checkFolder(cwd, 'cwd', issues);
  const addDirs = options.addDirs?.map((dir, i) => {
    const full = resolve(cwd, dir);
    if (local) checkFolder(full, `addDirs[${i}]`, issues);
    return full;
  });
  const attachments = (options.attachments ?? []).map((file, i) =>
    resolveAttachment(file, cwd, `attachments[${i}]`, issues),
  );
  const skills = options.skills?.map((path, i) => {
    const full = resolve(cwd, path);
    if (!exists(full)) issues.push({ field: `skills[${i}]`, problem: `${full} does not exist` });
    return full;
  });
  for (const field of MAP_OPTIONS) refuseHiddenKeys(options[field], field, issues);
  checkSessions(options, issues);
  const problem = options.outputSchema && lazyModules.structured().schemaProblem(options.outputSchema);
  if (problem) issues.push({ field: 'outputSchema', problem });
  const prompt = typeof options.prompt === 'string' ? options.prompt : options.prompt?.join('\n');
  if (prompt?.trim() === '' && attachments.length === 0) issues.push({ field: 'prompt', problem: 'must not be empty' });
  if (options.systemPromptMode && options.systemPrompt === undefined) {
    issues.push({ field: 'systemPromptMode', problem: 'needs systemPrompt' });
  }
  return { prompt: prompt ?? '', cwd, attachments, ...(skills ? { skills } : {}), ...(addDirs ? { addDirs } : {}) };
}

/** zod ignores a key `__proto__`, so its value would go unchecked. */
function refuseHiddenKeys(value: unknown, field: string, issues: ValidationIssue[]): void {
  if (!isRecord(value)) return;
  if (Object.hasOwn(value, '__proto__')) issues.push({ field: `${field}.__proto__`, problem: 'is not a name' });
  for (const [key, inner] of Object.entries(value)) refuseHiddenKeys(inner, `${field}.${key}`, issues);
}

function withoutInvalid(options: Partial<RunOptions>, issues: readonly ValidationIssue[]): Partial<RunOptions> {
  const invalid = new Set(issues.map(({ field }) => field.split(/[.[]/)[0]));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !invalid.has(name)));
}

export function resolveAttachment(
  file: Attachment,
  cwd: string,
  field: string,
  issues: ValidationIssue[],
): Required<Attachment> {
  const full = resolve(cwd, file.path);
  const mimeType = file.mimeType ?? mimeTypeOf(full);
  // A further turn has its own.
  const wrong = lazyModules.optionSchemas().findAttachmentIssues(file);
  const problem = attachmentProblem(full, mimeType);
  if (wrong.length > 0) issues.push(...wrong.map((issue) => ({ ...issue, field: `${field}.${issue.field}` })));
  else if (problem !== undefined) issues.push({ field, problem });
  return { path: full, name: file.name ?? basename(full), mimeType };
}

function profileOf(input: RunOptions, { profiles }: OptionSources): Partial<RunOptions> | undefined {
  const name = input?.profile;
  return name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The call overrides its profile, which overrides the client's defaults. Maps are merged by key. */
function merge(input: RunOptions, sources: OptionSources, issues: ValidationIssue[]): Partial<RunOptions> {
  const name = input?.profile;
  const profile = profileOf(input, sources);
  if (name !== undefined && !profile) {
    issues.push({ field: 'profile', problem: describeUnknownProfile(name, Object.keys(sources.profiles)) });
  }
  for (const [field, reason] of Object.entries(PROFILE_FORBIDDEN_OPTIONS)) {
    if (profile && Object.hasOwn(profile, field)) {
      issues.push({ field: 'profile', problem: `"${name}" may not set ${field}: ${reason}` });
    }
  }
  return mergeOptions([sources.defaults, profile, input]);
}

function describeUnknownProfile(profile: string, known: readonly string[]): string {
  const near = suggestNames(profile, known).map((name) => `"${name}"`);
  if (near.length > 0) return `unknown profile "${profile}"; did you mean ${near.join(' or ')}?`;
  const others = known.length > 0 ? `available: ${[...known].sort().join(', ')}` : 'no profiles are configured';
  return `unknown profile "${profile}"; ${others}`;
}

function checkSessions(options: Partial<RunOptions>, issues: ValidationIssue[]): void {
  const { sessionId, forkSessionId, noSession } = options;
  if (sessionId && forkSessionId)
    issues.push({ field: 'forkSessionId', problem: 'cannot be combined with sessionId: resume or fork, not both' });
  if (noSession && (sessionId || forkSessionId)) {
    issues.push({
      field: 'noSession',
      problem: `cannot be combined with ${sessionId ? 'sessionId' : 'forkSessionId'}`,
    });
  }
}

function checkFolder(path: string, field: string, issues: ValidationIssue[]): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) issues.push({ field, problem: `${path} does not exist` });
  else if (!stat.isDirectory()) issues.push({ field, problem: `${path} is not a folder` });
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
