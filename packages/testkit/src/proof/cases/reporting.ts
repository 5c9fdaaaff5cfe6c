import assert from 'node:assert/strict';
import { HELLO, reply } from '../../model/index.ts';
import type { ProofCase } from '../proof-case.ts';
import { oddRun, TOKENS, twoTurns } from './shared-runs.ts';

/** What a run says of tokens, money and limits. */
export const reportingCases: readonly ProofCase[] = [
  {
    id: 'usage',
    title: 'the tokens of the result are those that the model counted',
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
      // Some APIs and CLIs count cached tokens as input, others beside it.
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
    title: 'the state of the rate limits is told before they are reached',
    shows: ['reportsRateLimits'],
    needs: (capabilities, proof) => capabilities.reportsRateLimits && proof.rateLimitStatus !== undefined,
    async run(bench) {
      const { headers, env } = bench.proof.rateLimitStatus!;
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
