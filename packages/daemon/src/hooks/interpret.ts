import { isAbsolute } from 'node:path';
import { type AgentAdapter, type HookState, isRecord, messageOf, parseIfJson, redactSecrets } from '@agent-mux/core';
import { z } from 'zod';
import { SUMMARY_CHARS } from '../activity/hook-change.ts';
import { titleOf } from '../activity/status-text.ts';
import { readPayload } from './read-payload.ts';
import { type Ancestor, type HookDelivery, REPORT_BYTES } from './spool.ts';

const Line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\x00-\x1f\x7f]*$/);
const Path = Line(4096).refine(isAbsolute);

/** Written by a reporter, perhaps of another version, or by any process that can write to the spool. */
const DeliverySchema: z.ZodType<HookDelivery> = z.object({
  v: z.literal(1),
  id: Line(200),
  agent: Line(100),
  event: Line(100),
  session: z
    .string()
    .regex(/^[a-z0-9]{1,40}$/)
    .nullable()
    .catch(null),
  sessionBy: z.enum(['argument', 'environment']).nullable().catch(null),
  run: Line(200).nullable().catch(null),
  cwd: Path.nullable().catch(null),
  at: z.number().min(0).max(8.64e15),
  ppid: z.int(),
  ancestors: z
    .array(z.object({ pid: z.int().min(1), startTime: z.string().max(40), name: z.string().max(100) }))
    .max(32)
    .catch([]),
  payload: z.string().max(REPORT_BYTES),
  cut: z.boolean(),
});

/** Throws if the report is invalid. */
export function parseHookDelivery(text: string): HookDelivery {
  const read = DeliverySchema.safeParse(parseIfJson(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new TypeError(`not a valid report: ${issue?.path.join('.')} ${issue?.message}`);
}

/** Validated content of a hook call. */
export interface HookInterpretation {
  state: HookState | undefined;
  agentSessionId: string | undefined;
  cwd: string | undefined;
  title: string | undefined;
  summary: string | undefined;
  model: string | undefined;
  isPrompt: boolean;
}

const State: z.ZodType<HookState> = z.enum(['active', 'idle', 'waiting_input', 'blocked', 'exited']);

/** Validates field by field: invalid fields are dropped. Adapters may be third-party code, too. */
export function interpret(
  delivery: HookDelivery,
  adapter: AgentAdapter,
  secrets: readonly string[],
): HookInterpretation {
  if (!adapter.hooks) throw new TypeError(`hooks of ${adapter.displayName} are not supported`);
  let output: unknown;
  try {
    output = adapter.hooks.read(delivery.event, readPayload(delivery.payload, delivery.cut));
  } catch (error) {
    throw new TypeError(`adapter "${adapter.agent}" failed to parse its hook payload: ${messageOf(error)}`);
  }
  const fields: Record<string, unknown> = isRecord(output) ? output : {};
  const field = <Value>(name: string, schema: z.ZodType<Value>): Value | undefined =>
    schema.safeParse(fields[name]).data;
  const prompt = field('prompt', z.string());
  const answer = field('answer', z.string());
  const title = prompt === undefined ? null : titleOf(redactSecrets(prompt.slice(0, 4000), secrets));
  const summary = answer === undefined ? '' : redactSecrets(answer.slice(0, 4000), secrets).trim();
  return {
    state: field('state', State),
    agentSessionId: field('agentSessionId', Line(300)),
    cwd: field('cwd', Path),
    model: field('model', Line(200)),
    title: title ?? undefined,
    summary: summary === '' ? undefined : summary.slice(0, SUMMARY_CHARS),
    isPrompt: prompt !== undefined,
  };
}

const SHELLS = /^(?:-?(?:sh|bash|dash|ash|ksh|zsh|fish|busybox|pwsh)|env|timeout|nice|nohup|setsid|sudo|doas)$/;

/** The nearest ancestor of the hook that is not a shell: the process that called it. */
export function findAgentProcess(ancestors: readonly Ancestor[]): Ancestor | undefined {
  return ancestors.find(({ name }) => !SHELLS.test(name));
}
