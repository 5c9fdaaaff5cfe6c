import { isAbsolute } from 'node:path';
import { type AgentAdapter, type HookState, isRecord, messageOf, parseIfJson, redactSecrets } from '@agent-mux/core';
import { z } from 'zod';
import { SUMMARY_CHARS } from '../activity/hook-change.ts';
import { titleOf } from '../activity/last-line.ts';
import { readPayload } from './read-payload.ts';
import { type Ancestor, type Delivery, REPORT_BYTES } from './spool.ts';

const Line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\x00-\x1f\x7f]*$/);
const Path = Line(4096).refine(isAbsolute);

/** Written by a reporter of ours, perhaps of another version, or by anybody who can write there. */
const DeliverySchema: z.ZodType<Delivery> = z.object({
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

/** Throws what is wrong with it. */
export function readDelivery(text: string): Delivery {
  const read = DeliverySchema.safeParse(parseIfJson(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new TypeError(`it is no report: ${issue?.path.join('.')} ${issue?.message}`);
}

/** What an agent's hook says, as far as it can be believed to be what it should be. */
export interface Understood {
  state: HookState | undefined;
  agentSessionId: string | undefined;
  cwd: string | undefined;
  title: string | undefined;
  summary: string | undefined;
  model: string | undefined;
  isPrompt: boolean;
}

const State: z.ZodType<HookState> = z.enum(['active', 'idle', 'waiting_input', 'blocked', 'exited']);

/** Field by field: what does not fit is left out, and the rest counts. Adapters may be anybody's too. */
export function understand(delivery: Delivery, adapter: AgentAdapter, secrets: readonly string[]): Understood {
  if (!adapter.hooks) throw new TypeError(`${adapter.displayName} has no hooks that are known here`);
  let said: unknown;
  try {
    said = adapter.hooks.read(delivery.event, readPayload(delivery.payload, delivery.cut));
  } catch (error) {
    throw new TypeError(`the adapter "${adapter.agent}" cannot read its own hook: ${messageOf(error)}`);
  }
  const told: Record<string, unknown> = isRecord(said) ? said : {};
  const take = <Value>(name: string, schema: z.ZodType<Value>): Value | undefined => schema.safeParse(told[name]).data;
  const prompt = take('prompt', z.string());
  const answer = take('answer', z.string());
  const title = prompt === undefined ? null : titleOf(redactSecrets(prompt.slice(0, 4000), secrets));
  const summary = answer === undefined ? '' : redactSecrets(answer.slice(0, 4000), secrets).trim();
  return {
    state: take('state', State),
    agentSessionId: take('agentSessionId', Line(300)),
    cwd: take('cwd', Path),
    model: take('model', Line(200)),
    title: title ?? undefined,
    summary: summary === '' ? undefined : summary.slice(0, SUMMARY_CHARS),
    isPrompt: prompt !== undefined,
  };
}

const SHELLS = /^(?:-?(?:sh|bash|dash|ash|ksh|zsh|fish|busybox|pwsh)|env|timeout|nice|nohup|setsid|sudo|doas)$/;

/** The nearest process above the hook that is no shell: whoever has called it. */
export function findAgentProcess(ancestors: readonly Ancestor[]): Ancestor | undefined {
  return ancestors.find(({ name }) => !SHELLS.test(name));
}
