import assert from 'node:assert/strict';
import type { ErrorCode, EventType } from '@agent-mux/core';
import { HELLO, reply, type StatusOptions } from '../../model/index.ts';
import type { Bench, BenchRunOptions } from '../bench.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { always, type VerifyCase } from '../verify-case.ts';
import { aSession } from './shared-runs.ts';

/** If the CLI shows a limit, the caller is notified within this time after the model's first refusal. */
const REPORTED_WITHIN_MS = 5000;
/** If it shows nothing, this much silence ends the run; the start of a slow CLI on a busy machine counts as silence. */
const SILENCE_MS = 15_000;
/** An overloaded model may recover: here the first sign of a failure counts. */
const TROUBLE_WITHIN_MS = 20_000;

/** Failures of the model, and how they are reported. */
export const failureCases: readonly VerifyCase[] = [
  {
    id: 'rate-limit',
    unasserted: ['rateLimit'],
    title: 'a rate limit is reported or ended at once, and the session continues after the reset',
    rank: 'essential',
    // Three runs, of which one waits for the inactivity timeout.
    timeoutMs: 240_000,
    shares: 'session',
    shows: ['reportsRateLimits'],
    needs: always,
    async run(bench) {
      const { canResume } = bench.capabilities;
      const known = canResume ? await aSession(bench) : undefined;
      const session = known ? { sessionId: known.run.sessionId, cwd: known.cwd } : {};
      const silent = !bench.asserts('rateLimit');
      const { run, reportedAfterMs } = await underStatus(
        bench,
        { status: 429, retryAfterSeconds: 30 },
        ['rate_limit_error'],
        { ...session, ...(silent ? { inactivityTimeout: silenceOf(bench) } : {}) },
      );
      if (silent) {
        assert.equal(run.result.exitReason, 'inactivity', run.summary);
        assert.ok(reportedAfterMs < silenceOf(bench) + REPORTED_WITHIN_MS, `ended after ${reportedAfterMs} ms`);
      } else {
        assert.equal(run.result.error?.code, 'RATE_LIMITED', run.summary);
        assert.equal(run.result.exitReason, 'rate_limited');
        assert.ok(reportedAfterMs < REPORTED_WITHIN_MS, `reported after ${reportedAfterMs} ms`);
      }
      if (!canResume) return;
      bench.replies('after the limit');
      const after = await bench.run({ prompt: 'After.', ...session });
      after.completed('after the limit');
      assert.ok(bench.request(-1).messages.some((message) => message.text.includes('My name is Ada.')));
    },
  },
  {
    id: 'retried-session',
    title: 'a retried turn leaves one session with its prompt once',
    shows: [],
    // An unreported limit leads to no second attempt.
    needs: ({ nativeSessionIds, sessionPersistence }, _, { sessionStore }, { rateLimit }) =>
      nativeSessionIds && sessionPersistence !== 'none' && sessionStore?.remove !== undefined && rateLimit !== 'silent',
    async run(bench) {
      bench.replies(reply.status(429, { retryAfterSeconds: 2 }), HELLO);
      const retryPolicy = { maxRetries: 2, initialDelayMs: 10, maxDelayMs: 10_000, retryOn: ['RATE_LIMITED' as const] };
      const run = await bench.run({ prompt: 'Try me once.', retryPolicy });
      run.completed(HELLO);
      assert.ok(run.has('retry'), run.summary);
      const { sessions } = await bench.client.sessions.list({ agents: [bench.agent], cwd: bench.cwd });
      assert.deepEqual(
        sessions.map(({ sessionId }) => sessionId),
        [run.result.sessionId],
      );
      const session = await bench.client.sessions.get(`${bench.agent}:${run.result.sessionId}`);
      assert.equal(session.messages.filter(({ role }) => role === 'user').length, 1, JSON.stringify(session.messages));
    },
  },
  {
    id: 'bad-key',
    unasserted: ['failureUnexplained'],
    title: 'a refused key is an authentication error',
    rank: 'essential',
    shows: [],
    needs: always,
    async run(bench) {
      const { run } = await underStatus(bench, { status: 401 }, ['auth_error'], {});
      if (!bench.asserts('failureUnexplained')) return assertFailure(run, 'AGENT_ERROR', 'failed');
      assertFailure(run, 'AUTH_ERROR', 'auth_error');
      assert.ok(run.has('auth_error'), run.summary);
    },
  },
  {
    id: 'server-error',
    unasserted: ['serverError'],
    title: 'a failing model is reported soon, as an error or as a retry',
    rank: 'essential',
    shows: [],
    needs: always,
    async run(bench) {
      const silent = !bench.asserts('serverError');
      const limits = silent ? { inactivityTimeout: silenceOf(bench) } : {};
      const { run, reportedAfterMs } = await underStatus(bench, { status: 500 }, ['retry', 'error'], limits);
      if (silent) {
        assert.equal(run.result.exitReason, 'inactivity', run.summary);
        return;
      }
      assert.ok(reportedAfterMs < TROUBLE_WITHIN_MS, `reported after ${reportedAfterMs} ms`);
      if (run.result.exitReason !== 'aborted') assertFailure(run, 'SERVER_ERROR', 'failed');
      else assert.ok(run.has('retry'), run.summary);
    },
  },
  {
    id: 'dropped',
    unasserted: ['repeatsAfterDrop'],
    title: 'a connection that breaks in mid-answer is recovered without doubled text, or reported',
    rank: 'essential',
    shows: [],
    needs: always,
    async run(bench) {
      const whole = 'one two three four five six';
      let cut = false;
      bench.script(({ messages }) => {
        // Some agents show the model its partial answer, and let it continue from there.
        const partial = messages.find(
          ({ role, text }) => role === 'assistant' && text !== '' && whole.startsWith(text),
        );
        const answer = reply.text(whole.slice(partial?.text.length ?? 0), { chunks: 6, delayMs: 30 });
        if (cut) return answer;
        cut = true;
        return answer.drop({ afterChunks: 3 });
      });
      const run = await bench.run({ prompt: 'Count.' });
      if (!bench.asserts('repeatsAfterDrop')) {
        assert.match(
          run.result.text,
          /^one .+one two three four five six$/,
          `the CLI no longer repeats: ${run.summary}`,
        );
        return;
      }
      if (run.result.exitReason === 'completed' && bench.requests.length > 1) {
        assert.equal(run.result.text, whole, run.summary);
        return;
      }
      assertFailure(run, 'NETWORK_ERROR', 'failed');
    },
  },
  {
    id: 'too-long',
    unasserted: ['failureUnexplained'],
    title: 'a full context is reported as such',
    shows: [],
    needs: always,
    async run(bench) {
      const { run } = await underStatus(bench, { status: 400 }, ['context_exceeded'], {});
      if (!bench.asserts('failureUnexplained')) return assertFailure(run, 'AGENT_ERROR', 'failed');
      assertFailure(run, 'CONTEXT_EXCEEDED', 'context_exceeded');
      assert.ok(run.has('context_exceeded'), run.summary);
    },
  },
  {
    id: 'max-turns',
    title: 'the turn limit ends a run that would continue',
    shows: ['supportsMaxTurns'],
    needs: (capabilities) => capabilities.supportsMaxTurns,
    async run(bench) {
      let count = 0;
      bench.script(() => bench.shell(`echo step ${++count}`));
      const run = await bench.run({ prompt: 'Continue forever.', maxTurns: 2 });
      assert.equal(run.result.exitReason, 'max_turns', run.summary);
      assert.equal(run.result.error?.code, 'MAX_TURNS');
      assert.ok(bench.requests.length <= 3, `${bench.requests.length} requests`);
    },
  },
];

const silenceOf = ({ quirks }: Bench): number => SILENCE_MS + (quirks.silentStartMs ?? 0);

interface UnderStatus {
  run: RecordedRun;
  /** From the model's first refusal to the first of the events, or to the end of the run. */
  reportedAfterMs: number;
}

/**
 * A model that answers only with this status. The run is aborted when the failure is reported and it still continues.
 */
async function underStatus(
  bench: Bench,
  { status, ...details }: { status: number } & StatusOptions,
  awaited: readonly EventType[],
  options: BenchRunOptions,
): Promise<UnderStatus> {
  let refusedAt: number | undefined;
  let reportedAt: number | undefined;
  bench.script(() => {
    refusedAt ??= performance.now();
    return reply.status(status, details);
  });
  const { rateLimit, serverError } = bench.quirks;
  const silent = (status === 429 && rateLimit === 'silent') || (status >= 500 && serverError === 'silent');
  const limits = silent ? { inactivityTimeout: silenceOf(bench) } : {};
  const run = await bench.run({ prompt: 'Try.', ...limits, ...options }, (event, handle) => {
    if (reportedAt !== undefined || !awaited.includes(event.type)) return;
    reportedAt = performance.now();
    // The CLI keeps retrying: the caller knows enough.
    if (event.type === 'retry') void handle.abort('reported');
  });
  assert.ok(refusedAt !== undefined, `the model was never asked: ${run.summary}`);
  return { run, reportedAfterMs: (reportedAt ?? performance.now()) - refusedAt };
}

function assertFailure(run: RecordedRun, code: ErrorCode, reason: string): void {
  assert.equal(run.result.error?.code, code, `${JSON.stringify(run.result.error)}: ${run.summary}`);
  assert.equal(run.result.exitReason, reason);
  assert.ok(run.result.error.message.length > 0);
  assert.ok(!run.result.text.includes(HELLO));
}
