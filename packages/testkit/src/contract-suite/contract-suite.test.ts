import { dirname, join } from 'node:path';
import type { AgentAdapter } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { BROKEN } from '../../test/broken-adapters.ts';
import { Sound } from '../../test/sound-adapter.ts';
import { contractChecks, nameOf } from './checks.ts';
import type { ContractFixtures } from './fixtures.ts';

const FIXTURES: ContractFixtures = { garbage: { runs: 40 }, run: { env: { PATH: dirname(process.execPath) } } };

async function failing(adapter: AgentAdapter, wanted?: string, fixtures = FIXTURES): Promise<string[]> {
  const failed: string[] = [];
  for (const check of contractChecks(adapter, fixtures)) {
    if (check.skip !== undefined || (wanted !== undefined && check.sentence !== wanted)) continue;
    try {
      await check.run();
    } catch (error) {
      failed.push(wanted === undefined ? `${nameOf(check)}: ${error}` : check.sentence);
    }
  }
  return [...new Set(failed)];
}

describe('the contract suite', () => {
  it('finds nothing wrong with a sound adapter', { timeout: 120_000 }, async () => {
    expect(await failing(new Sound())).toEqual([]);
  });

  it.each(BROKEN)('shows with "%s": %s', { timeout: 60_000 }, async (sentence, _what, adapter) => {
    expect(await failing(adapter, sentence)).toEqual([sentence]);
  });

  it('says of a recording what it lacks', async () => {
    const file = join(import.meta.dirname, '../replay/recordings/raw.jsonl');
    const missing = {
      name: 'raw',
      mode: 'oneshot',
      file,
      contains: [{ type: 'text_delta' as const, delta: 'absent' }],
    };
    const sentence = 'raw is decoded, always alike, to what it holds';
    expect(await failing(new Sound(), sentence, { recordings: [missing] })).toEqual([sentence]);
    expect(await failing(new Sound(), sentence, { recordings: [{ ...missing, contains: [] }] })).toEqual([]);
  });

  it('lets a known fault pass only as long as it is one', async () => {
    const exempt = { 'the launch in mode "oneshot": writes no file': 'for a reason' };
    const shown = (adapter: AgentAdapter) =>
      contractChecks(adapter, { exempt }).find(({ sentence }) => sentence.includes('for a reason'));
    const writes = BROKEN.find(([sentence]) => sentence === 'writes no file')?.[2];
    await expect(shown(writes ?? new Sound())?.run()).resolves.toBeUndefined();
    await expect(shown(new Sound())?.run()).rejects.toThrow(/no longer broken/);
    expect(() => contractChecks(new Sound(), { exempt: { 'no such check': 'x' } })).toThrow(/names no check/);
  });
});
