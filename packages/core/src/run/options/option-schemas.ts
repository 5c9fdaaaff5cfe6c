import { z } from 'zod';
import { APPROVAL_MODES, SYSTEM_PROMPT_MODES, THINKING_EFFORTS } from '../../contract/capabilities.ts';
import { ERROR_CODES, type ValidationIssue } from '../../contract/errors.ts';
import type { Attachment, RunOptions } from '../../contract/options.ts';
import { line, path, remoteName, session, text, tool, word } from './option-values.ts';

const name = z.string().min(1);
const milliseconds = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const callback = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', 'must be a function');
const stringMap = z.record(name, z.string());
const headers = z.record(
  line.regex(/^[!#$%&'*+.^`|~\w-]+$/, 'is not a valid header name'),
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
    url: z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' }),
    headers: headers.optional(),
  }),
]);
const invocation = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('local') }),
  z.strictObject({
    mode: z.literal('docker'),
    image: remoteName,
    args: z.array(text).optional(),
    workdir: path.optional(),
  }),
  z.strictObject({
    mode: z.literal('ssh'),
    host: remoteName,
    user: remoteName.optional(),
    port: z.number().int().min(1).max(65535).optional(),
    args: z.array(text).optional(),
    remoteCwd: path.optional(),
  }),
  z.strictObject({
    mode: z.literal('k8s'),
    pod: remoteName,
    namespace: remoteName.optional(),
    container: remoteName.optional(),
    args: z.array(text).optional(),
  }),
]);

const attachment = z.strictObject({ path, mimeType: word.optional(), name: line.optional() });

const SERVER_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/;

/** All options except agent and prompt; also the fields of a run profile. */
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
      z.string().regex(SERVER_NAME, 'must contain only letters, digits, _ and -, and must not start with -'),
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
      'must have at most 128 letters, digits, dots, _ and -, and start with a letter or digit',
    )
    .optional(),
  tags: z.array(word).optional(),
  invocation: invocation.optional(),
  mode: word.optional(),
  interactive: z.boolean().optional(),
  hooks: z.boolean().optional(),
  includeRaw: z.boolean().optional(),
  debug: z.boolean().optional(),
};

/** Everything about a run that can be set without code. */
export const RunSettingsSchema = z
  .strictObject({ ...optionFields, agent: word.optional() })
  .omit({ onApprovalRequest: true, onInputRequired: true, signal: true });

export const RunProfileSchema = RunSettingsSchema.omit({ runId: true, sessionId: true, forkSessionId: true });

const RunOptionsSchema = z.strictObject({
  ...optionFields,
  agent: word,
  prompt: z.union([text, z.array(text).min(1)]),
  profile: word.optional(),
});

/** Created once: zod compiles a schema on first use. */
const { agent, prompt, ...fields } = RunOptionsSchema.shape;
const PartOfOptionsSchema = z.object({ ...fields, agent: agent.optional(), prompt: prompt.optional() });

/** Issues in the shape of a run's options. */
export function findShapeIssues(options: Partial<RunOptions>): ValidationIssue[] {
  return issuesIn(RunOptionsSchema, options);
}

/** Issues in the shape of some options, whatever else is missing. */
export function findPartIssues(options: Partial<RunOptions>): ValidationIssue[] {
  return issuesIn(PartOfOptionsSchema, options);
}

export function findAttachmentIssues(file: Attachment): ValidationIssue[] {
  return issuesIn(attachment, file);
}

function issuesIn(schema: z.ZodType, value: unknown): ValidationIssue[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : issuesOf(parsed.error);
}

export function issuesOf(error: z.ZodError): ValidationIssue[] {
  return error.issues.flatMap((issue): ValidationIssue[] => {
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
