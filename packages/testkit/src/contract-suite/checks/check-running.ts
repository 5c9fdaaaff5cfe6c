import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentEvent,
  type AgentMode,
  AgentMuxError,
  type Client,
  createClient,
  EXIT_REASONS,
  type HealthStatus,
  RUN_ID_VARIABLE,
  type RunHandle,
  type RunOnceResult,
  type RunOptions,
  type RunResult,
} from '@agent-mux/core';
import { z } from 'zod';
import { assertEventOrder } from '../../event-order.ts';
import { processesWithVariable } from '../../verify/processes.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import type { RunFixture } from '../fixtures.ts';
import { inSandbox, type Sandbox } from '../sandbox.ts';
import { plainApproval, type Subject } from '../subject.ts';

const HEALTH_LIMIT_MS = 5_000;
const GONE_LIMIT_MS = 10_000;

const HealthSchema = z.strictObject({
  healthy: z.boolean(),
  message: z.string().min(1),
  details: z.record(z.string(), z.unknown()).nullable(),
}) satisfies z.ZodType<HealthStatus>;

const tokens = z.number().int().nonnegative();
const RunOnceSchema = z.strictObject({
  content: z.string(),
  cost_usd: z.number().nonnegative().nullable(),
  duration_ms: z.number().nonnegative(),
  usage: z
    .strictObject({
      tokens: z.strictObject({
        input_tokens: tokens,
        output_tokens: tokens,
        cache_read_tokens: tokens,
        cache_creation_tokens: tokens,
        total_tokens: tokens,
      }),
      model_id: z.string().nullable(),
      service_tier: z.string().nullable(),
    })
    .nullable(),
}) satisfies z.ZodType<RunOnceResult>;

export function runningChecks(subject: Subject): ContractCheck[] {
  const { adapter, fixtures, modes } = subject;
  const { run } = fixtures;
  const health = aboutTopic('its health', (show) => {
    show('is reported within five seconds even if the agent is missing', () =>
      inSandbox(async (place) => {
        await withClient(subject, place, {}, async (client) => {
          const { healthy, message } = await healthOf(client, adapter.agent);
          ok(healthy || message, 'no reason is given');
        });
      }),
    );
    show(
      'is good if the agent is installed',
      () =>
        inSandbox((place) =>
          withClient(subject, place, run ?? {}, async (client) => {
            const status = await healthOf(client, adapter.agent);
            ok(status.healthy, status.message);
          }),
        ),
      run ? undefined : 'no run in the fixtures',
    );
  });
  const mode = modes.find(({ name }) => name === run?.options?.mode) ?? modes[0];
  const runs = aboutTopic('a run', (show) => {
    if (!run || !mode) return show('is made', () => {}, 'no run in the fixtures');
    const { capabilities } = mode;
    const ask: Ask = { agent: adapter.agent, mode, run };
    const inClient = (work: (client: Client, options: RunOptions) => Promise<void>) => () =>
      inSandbox((place) => withClient(subject, place, run, (client) => work(client, optionsOf(ask, place))));

    show(
      'has an answer, a duration, and a cost and usage if reported',
      inClient((client, options) => answers(client, options, ask)),
    );
    show(
      'keeps the order of events and has a matching result',
      inClient((client, options) => isOrdered(client, options, ask)),
    );
    show(
      'is not disturbed by a simultaneous run',
      inClient(async (client, options) => {
        const handles = [client.run(options), client.run(options)];
        const both = await Promise.all(
          handles.map(async (handle) => ({ events: await eventsOf(handle), result: await handle })),
        );
        for (const { events, result } of both) {
          assertEventOrder(events);
          isGood(result, run);
        }
      }),
    );
    if (capabilities.supportsMultiTurn) {
      show(
        'runs a further turn',
        inClient(async (client, options) => {
          const handle = client.run({ ...options, interactive: true });
          const events: AgentEvent[] = [];
          for await (const event of handle) {
            events.push(event);
            if (event.type !== 'turn_end') continue;
            if (event.turnIndex === 0) await handle.send('once more');
            else void handle.end();
          }
          assertEventOrder(events);
          strictEqual((await handle).turnCount, 2);
        }),
      );
    }
    if (capabilities.canResume) {
      show(
        'can be resumed by the id of its session',
        inClient(async (client, options) => {
          const first = await client.run({ ...options, noSession: undefined });
          ok(first.sessionId, 'the first run reported no session id');
          const second = await client.run({ ...options, noSession: undefined, sessionId: first.sessionId });
          isGood(second, run);
          strictEqual(second.sessionId, first.sessionId, 'it continued in another session');
        }),
      );
    }
    show(
      'ends with the client, and every process with it',
      inClient((client, options) => closes(client, options)),
    );
  });
  return [...health, ...runs];
}

interface Ask {
  agent: string;
  mode: AgentMode;
  run: RunFixture;
}

function optionsOf({ agent, mode, run }: Ask, place: Sandbox): RunOptions {
  return {
    agent,
    prompt: 'say hello',
    mode: mode.name,
    approvalMode: plainApproval(mode),
    cwd: place.cwd,
    onApprovalRequest: () => ({ decision: 'allow' }),
    onInputRequired: () => ({ declined: true }),
    ...run.options,
  };
}

async function withClient(
  { adapter }: Subject,
  place: Sandbox,
  { env = {} }: RunFixture,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  Object.assign(process.env, env);
  const client = createClient({ adapters: [adapter], env: { ...place.env, ...env }, runIndex: false });
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

async function healthOf(client: Client, agent: string): Promise<HealthStatus> {
  const startedAt = performance.now();
  const status = HealthSchema.parse(await client.health(agent));
  ok(performance.now() - startedAt <= HEALTH_LIMIT_MS, 'it took longer than five seconds');
  return status;
}

async function answers(client: Client, options: RunOptions, { agent, mode, run }: Ask): Promise<void> {
  const { prompt, cwd, ...rest } = options;
  const text = typeof prompt === 'string' ? prompt : prompt.join('\n');
  const result = RunOnceSchema.parse(await client.runOnce({ agent, prompt: text, cwd, options: rest }));
  match(result.content, run.text ?? /\S/);
  const { reportsCost, reportsUsage } = mode.capabilities;
  strictEqual(result.cost_usd !== null, reportsCost, `reportsCost is ${reportsCost}, and cost_usd ${result.cost_usd}`);
  strictEqual(result.usage !== null, reportsUsage, `reportsUsage is ${reportsUsage}`);
}

async function isOrdered(client: Client, options: RunOptions, { agent, mode, run }: Ask): Promise<void> {
  const handle = client.run(options);
  const events = await eventsOf(handle);
  const result = await handle;
  assertEventOrder(events);
  isGood(result, run);
  for (const event of events) {
    deepStrictEqual([event.agent, event.runId], [agent, handle.runId], 'an event of another run');
    ok(Number.isFinite(event.timestamp), 'an event without a time');
  }
  const last = events.at(-1);
  strictEqual(last?.type === 'session_end' ? last.reason : undefined, result.exitReason);
  const said = events.map((event) => (event.type === 'text_delta' && !event.parentToolCallId ? event.delta : ''));
  strictEqual(result.text, said.join(''), 'the text of the result is not what was streamed');
  strictEqual(result.mode, mode.name);
  if (mode.capabilities.nativeSessionIds) ok(result.sessionId, 'nativeSessionIds, and the result has none');
}

async function closes(client: Client, options: RunOptions): Promise<void> {
  const handle = client.run(options);
  const started = new Promise<void>((resolve) => {
    handle.once('text_delta', () => resolve());
    handle.once('session_end', () => resolve());
  });
  await started;
  await client.close();
  const result = await handle;
  ok(EXIT_REASONS.includes(result.exitReason));
  await waitUntilGone(handle.runId);
  throws(
    () => client.run(options),
    (error: unknown) => error instanceof AgentMuxError && error.code === 'RUN_ENDED',
    'a closed client has started a run',
  );
}

/** A signalled process needs a moment to disappear. */
async function waitUntilGone(runId: string): Promise<void> {
  const end = performance.now() + GONE_LIMIT_MS;
  let left = processesWithVariable(RUN_ID_VARIABLE, runId);
  while (left.length > 0 && performance.now() < end) {
    await delay(50);
    left = processesWithVariable(RUN_ID_VARIABLE, runId);
  }
  deepStrictEqual(left, [], 'processes of the run are left');
}

function isGood(result: RunResult, { text = /\S/ }: RunFixture): void {
  strictEqual(result.exitReason, 'completed', result.error?.message);
  match(result.text, text);
}

async function eventsOf(handle: RunHandle): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of handle) events.push(event);
  return events;
}
