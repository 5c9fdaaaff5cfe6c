import { dirname, join } from 'node:path';
import { type AgentAdapter, modesOf } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../../test/mutants/index.ts';
import { launching } from '../../test/mutants/mutant.ts';
import { ValidAdapter } from '../../test/valid-adapter/adapter.ts';
import type { ContractCheck } from './check.ts';
import { contractChecks, nameOf } from './checks.ts';
import type { ContractFixtures, RecordingFixture } from './fixtures.ts';

const RECORDINGS = { oneshot: 'tools.jsonl', live: 'asks.txt' };
const FIXTURES: ContractFixtures = {
  garbage: { runs: 8 },
  timeoutMs: 20_000,
};
const RUN: ContractFixtures['run'] = { env: { PATH: dirname(process.execPath) } };

/** Names and reasons of the failed checks, of the selected ones. */
async function failing(
  adapter: AgentAdapter,
  fixtures: ContractFixtures = FIXTURES,
  isWanted: (check: ContractCheck) => boolean = () => true,
): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  for (const check of contractChecks(adapter, { recordings: recordingsOf(adapter), ...fixtures })) {
    if (check.skip !== undefined || !isWanted(check)) continue;
    try {
      await check.run();
    } catch (error) {
      failed.set(nameOf(check), String(error));
    }
  }
  return failed;
}

/** An adapter that registration rejects has issues and cannot be run. */
function followsFromAnother([name, reason]: [string, string]): boolean {
  return reason.startsWith('ValidationError: adapter "') || name === 'its identity: has no issues';
}

/** They say nothing about a broken launch or output, and they are most of the suite. */
function isAboutHostileValues(check: ContractCheck): boolean {
  return nameOf(check).startsWith('hostile values ');
}

function recordingsOf(adapter: AgentAdapter): RecordingFixture[] {
  return Object.entries(RECORDINGS)
    .filter(([mode]) => modesOf(adapter).some(({ name }) => name === mode))
    .map(([mode, name]) => ({ name, mode, file: join(import.meta.dirname, '../../test/valid-adapter', name) }));
}

describe('contract suite', () => {
  it('finds nothing wrong with a valid adapter', { timeout: 120_000 }, async () => {
    expect(await failing(new ValidAdapter(), { ...FIXTURES, garbage: { runs: 40 }, run: RUN })).toEqual(new Map());
  });

  for (const [theme, mutants] of Object.entries(MUTANTS)) {
    describe(`catches ${theme}`, () => {
      it.each(mutants)('$what: "$caughtBy"', { timeout: 120_000 }, async (mutant) => {
        const { make, caughtBy, also, endless, inRun } = mutant;
        const more = { ...(endless ? { settleMs: 1_000 } : {}), ...(inRun ? { run: RUN } : {}) };
        // The whole suite runs for the first mutant of each check; the others differ only in their values.
        const first = mutants.find((other) => other.caughtBy === caughtBy && !other.endless);
        const whole = first?.what === mutant.what;
        const isWanted = (check: ContractCheck) =>
          check.sentence === caughtBy || (whole && !isAboutHostileValues(check));
        const failed = await failing(make(), { ...FIXTURES, ...more }, isWanted);
        const others = [...failed].filter((each) => !each[0].endsWith(`: ${caughtBy}`) && !followsFromAnother(each));
        expect([...failed.keys()].map((name) => name.replace(/^.*?: /, ''))).toContain(caughtBy);
        expect(others.filter(([name]) => !also?.test(name))).toEqual([]);
      });
    });
  }

  it('reports what a recording lacks', async () => {
    const file = join(import.meta.dirname, '../replay/recordings/raw.jsonl');
    const missing = {
      name: 'raw',
      mode: 'oneshot',
      file,
      contains: [{ type: 'text_delta' as const, delta: 'absent' }],
    };
    const name = 'its recordings: raw is decoded deterministically to its expected events';
    expect([...(await failing(new ValidAdapter(), { recordings: [missing] })).keys()]).toEqual([name]);
    expect(await failing(new ValidAdapter(), { recordings: [{ ...missing, contains: [] }] })).toEqual(new Map());
  });

  it('accepts an exempted failure only as long as it fails', async () => {
    const name = 'the launch in mode "oneshot": keeps its helper files below the scratch folder';
    const exempt = { [name]: 'for a reason' };
    const shown = (adapter: AgentAdapter) =>
      contractChecks(adapter, { exempt }).find(({ sentence }) => sentence.includes('for a reason'));
    const escapes = launching((spawn) => ({ ...spawn, files: { '../x': '' } }));
    await expect(shown(escapes)?.run()).resolves.toBeUndefined();
    await expect(shown(new ValidAdapter())?.run()).rejects.toThrow(/no longer broken/);
    expect(() => contractChecks(new ValidAdapter(), { exempt: { 'no such check': 'x' } })).toThrow(/names no check/);
  });
});
