import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import type { AgentAdapter } from '../../contract/adapter.ts';
import { APPROVAL_MODES, SYSTEM_PROMPT_MODES, THINKING_EFFORTS } from '../../contract/capabilities.ts';
import { ERROR_CODES, type Fault, ValidationError } from '../../contract/errors.ts';
import type { Attachment, ResolvedRunOptions, RetryPolicy, RunOptions } from '../../contract/options.ts';
import { nameScratchFolder } from '../../files/scratch-name.ts';
import { findNearNames } from '../../near-names.ts';
import { isRecord } from '../../values.ts';
import { attachmentProblem } from './attachments.ts';
import { MAP_OPTIONS, mergeOptions } from './merge-options.ts';
import { mimeTypeOf } from './mime.ts';
import { line, path, place, session, text, tool, word } from './option-values.ts';
import { schemaProblem } from './structured.ts';

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

const name = z.string().min(1);
const milliseconds = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const callback = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', 'must be a function');
const stringMap = z.record(name, z.string());
const headers = z.record(
  line.regex(/^[!#$%&'*+.^`|~\w-]+$/, 'is no name for a header'),
  z.union([line, z.literal('')]),
);
const mcpServer = z.union([
  z.strictObject({
    type: z.literal('stdio').optional(),
    command: word,
    args: z.array(text).optional(),
    env: stringMap.optional(),
  }),
  z.strictObject({
    type: z.enum(['http', 'sse']),
    url: z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' }),
    headers: headers.optional(),
  }),
]);
const invocation = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('local') }),
  z.strictObject({
    mode: z.literal('docker'),
    image: place,
    args: z.array(text).optional(),
    workdir: path.optional(),
  }),
  z.strictObject({
    mode: z.literal('ssh'),
    host: place,
    user: place.optional(),
    port: z.number().int().min(1).max(65535).optional(),
    args: z.array(text).optional(),
    remoteCwd: path.optional(),
  }),
  z.strictObject({
    mode: z.literal('k8s'),
    pod: place,
    namespace: place.optional(),
    container: place.optional(),
    args: z.array(text).optional(),
  }),
]);

const attachment = z.strictObject({ path, mimeType: word.optional(), name: line.optional() });

const SERVER_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/;

/** Everything but agent and prompt; also what a run profile may hold. */
const optionFields = {
  systemPrompt: text.optional(),
  systemPromptMode: z.enum(SYSTEM_PROMPT_MODES).optional(),
  model: word.optional(),
  thinkingEffort: z.enum(THINKING_EFFORTS).optional(),
  thinkingBudgetTokens: z.number().int().positive().optional(),
  thinkingOverride: z.record(z.string(), z.unknown()).optional(),
  sessionId: session.optional(),
  forkSessionId: session.optional(),
  noSession: z.boolean().optional(),
  cwd: path.optional(),
  env: stringMap.optional(),
  inheritEnv: z.boolean().optional(),
  timeout: milliseconds.optional(),
  inactivityTimeout: milliseconds.optional(),
  afterToolTimeout: milliseconds.optional(),
  maxTurns: z.number().int().positive().optional(),
  approvalMode: z.enum(APPROVAL_MODES).optional(),
  nativePermissionMode: word.optional(),
  approvalTimeout: milliseconds.optional(),
  onApprovalRequest: callback.optional(),
  onInputRequired: callback.optional(),
  allowedTools: z.array(tool).optional(),
  deniedTools: z.array(tool).optional(),
  mcpServers: z
    .record(
      z.string().regex(SERVER_NAME, 'a server name has letters, digits, _ and - only, and does not begin with -'),
      mcpServer,
    )
    .optional(),
  skills: z.array(path).optional(),
  addDirs: z.array(path).optional(),
  attachments: z.array(attachment).optional(),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  retryPolicy: z
    .strictObject({
      maxRetries: z.number().int().min(0).max(100).optional(),
      initialDelayMs: milliseconds.optional(),
      maxDelayMs: milliseconds.optional(),
      multiplier: z.number().min(1).max(10).optional(),
      retryOn: z.array(z.enum(ERROR_CODES)).optional(),
    })
    .optional(),
  signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal').optional(),
  tracePath: path.optional(),
  runId: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
      'letters, digits, dot, _ and - only, at most 128; the first a letter or digit',
    )
    .optional(),
  tags: z.array(word).optional(),
  invocation: invocation.optional(),
  mode: word.optional(),
  interactive: z.boolean().optional(),
  includeRaw: z.boolean().optional(),
  debug: z.boolean().optional(),
};

/** All that can be said of a run without code. */
export const RunSettingsSchema = z
  .strictObject({ ...optionFields, agent: word.optional() })
  .omit({ onApprovalRequest: true, onInputRequired: true, signal: true });

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

export const RunProfileSchema = RunSettingsSchema.omit({ runId: true, sessionId: true, forkSessionId: true });

const RunOptionsSchema = z.strictObject({
  ...optionFields,
  agent: word,
  prompt: z.union([text, z.array(text).min(1)]),
  profile: word.optional(),
});

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
  const parsed = RunOptionsSchema.safeParse(merged);
  if (!parsed.success) faults.push(...faultsOf(parsed.error));
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
  const { agent, prompt, ...fields } = RunOptionsSchema.shape;
  const parsed = z.object({ ...fields, agent: agent.optional(), prompt: prompt.optional() }).safeParse(options);
  const faults = parsed.success ? [] : faultsOf(parsed.error);
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
  const problem = options.outputSchema && schemaProblem(options.outputSchema);
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
  const parsed = attachment.safeParse(file);
  const problem = attachmentProblem(full, mimeType);
  if (!parsed.success)
    faults.push(...faultsOf(parsed.error).map((fault) => ({ ...fault, field: `${field}.${fault.field}` })));
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

export function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ field: pathOf([...issue.path, key]), problem: 'unknown option' }));
    }
    return [{ field: pathOf(issue.path), problem: issue.message }];
  });
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? String(part) : `.${String(part)}`))
    .join('');
}
