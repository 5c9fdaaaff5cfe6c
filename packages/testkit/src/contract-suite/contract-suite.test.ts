import { dirname, join } from 'node:path';
import { type AgentAdapter, modesOf } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { SABOTAGES } from '../../test/sabotage/index.ts';
import { launching } from '../../test/sabotage/sabotage.ts';
import { Sound } from '../../test/sound/adapter.ts';
import type { ContractCheck } from './check.ts';
import { contractChecks, nameOf } from './checks.ts';
import type { ContractFixtures, RecordingFixture } from './fixtures.ts';

const RECORDINGS = { oneshot: 'tools.jsonl', live: 'asks.txt' };
const FIXTURES: ContractFixtures = {
  garbage: { runs: 8 },
  timeoutMs: 20_000,
};
const RUN: ContractFixtures['run'] = { env: { PATH: dirname(process.execPath) } };

/** The names of the checks that fail, with the reason of each; of those that are wanted. */
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

/** What registration refuses has faults and cannot be run. */
function followsFromAnother([name, reason]: [string, string]): boolean {
  return reason.startsWith('ValidationError: adapter "') || name === 'its identity: has no faults';
}

/** Of a broken launch or output they tell nothing, and they are most of the suite. */
function isAboutHostileValues(check: ContractCheck): boolean {
  return nameOf(check).startsWith('hostile values ');
}

function recordingsOf(adapter: AgentAdapter): RecordingFixture[] {
  return Object.entries(RECORDINGS)
    .filter(([mode]) => modesOf(adapter).some(({ name }) => name === mode))
    .map(([mode, name]) => ({ name, mode, file: join(import.meta.dirname, '../../test/sound', name) }));
}

describe('the contract suite', () => {
  it('finds nothing wrong with a sound adapter', { timeout: 120_000 }, async () => {
    expect(await failing(new Sound(), { ...FIXTURES, garbage: { runs: 40 }, run: RUN })).toEqual(new Map());
  });

  for (const [theme, sabotages] of Object.entries(SABOTAGES)) {
    describe(`finds out about ${theme}`, () => {
      it.each(sabotages)('$what: "$caughtBy"', { timeout: 120_000 }, async (sabotage) => {
        const { make, caughtBy, also, endless, inRun } = sabotage;
        const more = { ...(endless ? { settleMs: 1_000 } : {}), ...(inRun ? { run: RUN } : {}) };
        // The whole suite looks at the first of those that one check finds out; the others differ in what they give only.
        const first = sabotages.find((other) => other.caughtBy === caughtBy && !other.endless);
        const whole = first?.what === sabotage.what;
        const isWanted = (check: ContractCheck) =>
          check.sentence === caughtBy || (whole && !isAboutHostileValues(check));
        const failed = await failing(make(), { ...FIXTURES, ...more }, isWanted);
        const others = [...failed].filter((each) => !each[0].endsWith(`: ${caughtBy}`) && !followsFromAnother(each));
        expect([...failed.keys()].map((name) => name.replace(/^.*?: /, ''))).toContain(caughtBy);
        expect(others.filter(([name]) => !also?.test(name))).toEqual([]);
      });
    });
  }

  it('says of a recording what it lacks', async () => {
    const file = join(import.meta.dirname, '../replay/recordings/raw.jsonl');
    const missing = {
      name: 'raw',
      mode: 'oneshot',
      file,
      contains: [{ type: 'text_delta' as const, delta: 'absent' }],
    };
    const name = 'its recordings: raw is decoded, always alike, to what it holds';
    expect([...(await failing(new Sound(), { recordings: [missing] })).keys()]).toEqual([name]);
    expect(await failing(new Sound(), { recordings: [{ ...missing, contains: [] }] })).toEqual(new Map());
  });

  it('lets a known fault pass only as long as it is one', async () => {
    const name = 'the launch in mode "oneshot": keeps its helper files below the scratch folder';
    const exempt = { [name]: 'for a reason' };
    const shown = (adapter: AgentAdapter) =>
      contractChecks(adapter, { exempt }).find(({ sentence }) => sentence.includes('for a reason'));
    const escapes = launching((spawn) => ({ ...spawn, files: { '../x': '' } }));
    await expect(shown(escapes)?.run()).resolves.toBeUndefined();
    await expect(shown(new Sound())?.run()).rejects.toThrow(/no longer broken/);
    expect(() => contractChecks(new Sound(), { exempt: { 'no such check': 'x' } })).toThrow(/names no check/);
  });
});
