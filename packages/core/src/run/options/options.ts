import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { AgentAdapter } from '../../contract/adapter.ts';
import { type Fault, ValidationError } from '../../contract/errors.ts';
import type { Attachment, ResolvedRunOptions, RetryPolicy, RunOptions } from '../../contract/options.ts';
import { nameScratchFolder } from '../../files/scratch-name.ts';
import { findNearNames } from '../../near-names.ts';
import { onDemand } from '../../on-demand.ts';
import { isRecord } from '../../values.ts';
import { attachmentProblem } from './attachments.ts';
import { MAP_OPTIONS, mergeOptions } from './merge-options.ts';
import { mimeTypeOf } from './mime.ts';

/** Silence in a turn that ends a run, unless the caller says otherwise. Long enough for a slow build without output. */
export const DEFAULT_INACTIVITY_MS = 15 * 60_000;
/** Silence after a tool result: nothing runs any more, the model only has to answer. */
export const DEFAULT_AFTER_TOOL_MS = 10 * 60_000;
export const DEFAULT_APPROVAL_TIMEOUT_MS = 5 * 60_000;
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxRetries: 0,
  initialDelayMs: 1000,
  maxDelayMs: 10 * 60_000,
  multiplier: 2,
  retryOn: ['RATE_LIMITED', 'SERVER_ERROR', 'NETWORK_ERROR', 'AGENT_CRASH'],
};

/** What a profile may not set, and why: it is there for many runs. */
export const PROFILE_REFUSALS: Readonly<Partial<Record<keyof RunOptions, string>>> = {
  prompt: 'it belongs to one run',
  profile: 'a profile does not name another',
  runId: 'it belongs to one run',
  sessionId: 'it belongs to one conversation; resume it by --resume (SDK: sessionId)',
  forkSessionId: 'it belongs to one conversation; fork it by --fork (SDK: forkSessionId)',
  signal: 'it belongs to one run',
  onApprovalRequest: 'it is code',
  onInputRequired: 'it is code',
};

export interface OptionSources {
  profiles: Readonly<Record<string, Partial<RunOptions>>>;
  defaults: Partial<RunOptions>;
  /** The mode that the agent uses when none is named. */
  defaultMode: (agent: string) => string;
}

/** Checks everything that can be checked without the agent, and lists all faults at once. */
export function resolveOptions(given: RunOptions, sources: OptionSources): ResolvedRunOptions {
  const faults: Fault[] = [];
  const merged = merge(given, sources, faults);
  faults.push(...onDemand.optionSchemas().findShapeFaults(merged));
  // What has the right shape is checked further, so that nobody fixes one fault after the other.
  const sound = withoutFaulty(merged, faults);
  const checked = checkMeaning(sound, faults);
  const agent = typeof merged.agent === 'string' ? merged.agent : undefined;
  if (faults.length > 0) throw new ValidationError('run options', faults, { agent });

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
    cwdGiven: (given.cwd ?? profileOf(given, sources)?.cwd) !== undefined,
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

/** What is wrong with the shape of these values, whatever else is missing. */
export function optionFaults(options: Partial<RunOptions>): Fault[] {
  const faults = onDemand.optionSchemas().findPartFaults(options);
  for (const field of MAP_OPTIONS) refuseHiddenKeys(options[field], field, faults);
  return faults;
}

/** What a definition says is checked like what the caller gives, by the names that options have. */
export function fillOptions(adapter: AgentAdapter, options: ResolvedRunOptions): ResolvedRunOptions {
  const filled = adapter.fillOptions?.(options) ?? options;
  if (filled === options) return options;
  const faults = optionFaults(filled);
  if (filled.cwd !== options.cwd && filled.invocation.mode === 'local') checkFolder(filled.cwd, 'work_dir', faults);
  if (faults.length > 0) throw new ValidationError('agent definition', faults, { agent: options.agent });
  return filled;
}

type Checked = Pick<ResolvedRunOptions, 'prompt' | 'cwd' | 'attachments' | 'skills' | 'addDirs'>;

function checkMeaning(options: Partial<RunOptions>, faults: Fault[]): Checked {
  const cwd = resolve(options.cwd ?? process.cwd());
  const local = (options.invocation?.mode ?? 'local') === 'local';
  if (local) checkFolder(cwd, 'cwd', faults);
  const addDirs = options.addDirs?.map((dir, i) => {
    const full = resolve(cwd, dir);
    if (local) checkFolder(full, `addDirs[${i}]`, faults);
    return full;
  });
  const attachments = (options.attachments ?? []).map((file, i) =>
    resolveAttachment(file, cwd, `attachments[${i}]`, faults),
  );
  const skills = options.skills?.map((path, i) => {
    const full = resolve(cwd, path);
    if (!exists(full)) faults.push({ field: `skills[${i}]`, problem: `${full} does not exist` });
    return full;
  });
  for (const field of MAP_OPTIONS) refuseHiddenKeys(options[field], field, faults);
  checkSessions(options, faults);
  const problem = options.outputSchema && onDemand.structured().schemaProblem(options.outputSchema);
  if (problem) faults.push({ field: 'outputSchema', problem });
  const prompt = typeof options.prompt === 'string' ? options.prompt : options.prompt?.join('\n');
  if (prompt?.trim() === '' && attachments.length === 0) faults.push({ field: 'prompt', problem: 'must not be empty' });
  if (options.systemPromptMode && options.systemPrompt === undefined) {
    faults.push({ field: 'systemPromptMode', problem: 'needs systemPrompt' });
  }
  return { prompt: prompt ?? '', cwd, attachments, ...(skills ? { skills } : {}), ...(addDirs ? { addDirs } : {}) };
}

/** zod passes over a key `__proto__`, so what stands there would go unchecked. */
function refuseHiddenKeys(value: unknown, field: string, faults: Fault[]): void {
  if (!isRecord(value)) return;
  if (Object.hasOwn(value, '__proto__')) faults.push({ field: `${field}.__proto__`, problem: 'is not a name' });
  for (const [key, inner] of Object.entries(value)) refuseHiddenKeys(inner, `${field}.${key}`, faults);
}

function withoutFaulty(options: Partial<RunOptions>, faults: readonly Fault[]): Partial<RunOptions> {
  const faulty = new Set(faults.map(({ field }) => field.split(/[.[]/)[0]));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !faulty.has(name)));
}

export function resolveAttachment(file: Attachment, cwd: string, field: string, faults: Fault[]): Required<Attachment> {
  const full = resolve(cwd, file.path);
  const mimeType = file.mimeType ?? mimeTypeOf(full);
  // A further turn brings its own.
  const wrong = onDemand.optionSchemas().findAttachmentFaults(file);
  const problem = attachmentProblem(full, mimeType);
  if (wrong.length > 0) faults.push(...wrong.map((fault) => ({ ...fault, field: `${field}.${fault.field}` })));
  else if (problem !== undefined) faults.push({ field, problem });
  return { path: full, name: file.name ?? basename(full), mimeType };
}

function profileOf(given: RunOptions, { profiles }: OptionSources): Partial<RunOptions> | undefined {
  const name = given?.profile;
  return name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** What this call says stands over the profile, which stands over the client's defaults. Maps are merged by key. */
function merge(given: RunOptions, sources: OptionSources, faults: Fault[]): Partial<RunOptions> {
  const name = given?.profile;
  const profile = profileOf(given, sources);
  if (name !== undefined && !profile) {
    faults.push({ field: 'profile', problem: describeUnknownProfile(name, Object.keys(sources.profiles)) });
  }
  for (const [field, reason] of Object.entries(PROFILE_REFUSALS)) {
    if (profile && Object.hasOwn(profile, field)) {
      faults.push({ field: 'profile', problem: `"${name}" may not set ${field}: ${reason}` });
    }
  }
  return mergeOptions([sources.defaults, profile, given]);
}

function describeUnknownProfile(profile: string, known: readonly string[]): string {
  const near = findNearNames(profile, known).map((name) => `"${name}"`);
  if (near.length > 0) return `no profile "${profile}"; did you mean ${near.join(' or ')}?`;
  const others = known.length > 0 ? `there are: ${[...known].sort().join(', ')}` : 'none is configured';
  return `no profile "${profile}"; ${others}`;
}

function checkSessions(options: Partial<RunOptions>, faults: Fault[]): void {
  const { sessionId, forkSessionId, noSession } = options;
  if (sessionId && forkSessionId)
    faults.push({ field: 'forkSessionId', problem: 'cannot stand beside sessionId: resume or fork, not both' });
  if (noSession && (sessionId || forkSessionId)) {
    faults.push({ field: 'noSession', problem: `cannot stand beside ${sessionId ? 'sessionId' : 'forkSessionId'}` });
  }
}

function checkFolder(path: string, field: string, faults: Fault[]): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) faults.push({ field, problem: `${path} does not exist` });
  else if (!stat.isDirectory()) faults.push({ field, problem: `${path} is not a folder` });
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
