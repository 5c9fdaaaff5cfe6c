import assert from 'node:assert/strict';
import { HELLO, reply } from '../../model/index.ts';
import type { VerifyCase } from '../verify-case.ts';
import { oddRun, TOKENS, twoTurns } from './shared-runs.ts';

/** Reported tokens, costs and limits of a run. */
export const reportingCases: readonly VerifyCase[] = [
  {
    id: 'usage',
    title: 'the tokens of the result match the model',
    rank: 'essential',
    shares: 'odd run',
    shows: ['reportsUsage'],
    needs: (capabilities) => capabilities.reportsUsage,
    async run(bench) {
      const { run } = await oddRun(bench);
      run.completed();
      const { usage } = run.result;
      assert.ok(usage, run.summary);
      assert.equal(usage.outputTokens, TOKENS.output);
      // Some APIs and CLIs include cached tokens in the input, others count them separately.
      const { input, cacheRead, cacheWrite } = TOKENS;
      const sums = [input, input + cacheRead, input + cacheWrite, input + cacheRead + cacheWrite];
      assert.ok(usage.inputTokens !== null && sums.includes(usage.inputTokens), `${usage.inputTokens} input tokens`);
      assert.ok([cacheRead, null].includes(usage.cacheReadTokens), `${usage.cacheReadTokens} cached tokens`);
    },
  },
  {
    id: 'usage-turns',
    title: 'the tokens of two turns are added up once',
    rank: 'essential',
    shares: 'two turns',
    shows: ['reportsUsage'],
    needs: (capabilities) => capabilities.reportsUsage && capabilities.supportsMultiTurn,
    async run(bench) {
      const { run } = await twoTurns(bench);
      run.completed();
      assert.equal(run.result.usage?.outputTokens, 47, run.summary);
    },
  },
  {
    id: 'cost',
    title: 'the cost that the agent reports is in the result',
    rank: 'essential',
    shares: 'odd run',
    shows: ['reportsCost'],
    needs: (capabilities) => capabilities.reportsCost,
    async run(bench) {
      const { run } = await oddRun(bench);
      run.completed();
      assert.ok(run.has('cost'), run.summary);
      assert.ok(run.result.costUsd !== null && run.result.costUsd > 0, `cost is ${run.result.costUsd}`);
      assert.equal(run.result.costSource, 'reported');
    },
  },
  {
    id: 'limit-status',
    title: 'the state of the rate limits is reported before they are reached',
    shows: ['reportsRateLimits'],
    needs: (capabilities, setup) => capabilities.reportsRateLimits && setup.rateLimitStatus !== undefined,
    async run(bench) {
      const { headers, env } = bench.setup.rateLimitStatus!;
      bench.replies(reply.text(HELLO).headers(headers));
      const run = (await bench.run({ env })).completed(HELLO);
      const status = run.of('rate_limit_status')[0];
      assert.ok(status, run.summary);
      assert.equal(status.limited, false);
      assert.ok(
        status.windows.some(({ usedPercent }) => usedPercent !== null),
        JSON.stringify(status.windows),
      );
    },
  },
];
