import { NO_VERIFICATIONS, parseVerificationRecord } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { pinnedCli } from './install.ts';
import { verifiedReleases, withOutcomes, withRelease } from './record.ts';
import type { Outcome } from './table.ts';

const outcome = (mode: string, id: string, ok: boolean): Outcome => ({
  agent: 'claude',
  mode,
  carrier: 'process',
  case: id,
  ok,
  ms: 1,
  folder: '',
  flaky: false,
});
const day = new Date('2026-03-04T05:06:07Z');

describe('verification record', () => {
  it('stores version, date and result of each case', () => {
    const record = withOutcomes(
      NO_VERIFICATIONS,
      [outcome('live', 'hello', true), outcome('oneshot', 'fork', false)],
      day,
    );
    expect(record.agents.claude).toMatchObject({
      ...pinnedCli('claude'),
      date: '2026-03-04',
      modes: { live: { hello: 'passed' }, oneshot: { fork: 'failed' } },
    });
    expect(parseVerificationRecord(JSON.stringify(record))).toEqual(record);
  });

  it('merges results of the same version and summarizes another one', () => {
    const first = withOutcomes(NO_VERIFICATIONS, [outcome('live', 'hello', true)], day);
    const second = withOutcomes(first, [outcome('live', 'tool', true)], day);
    expect(second.agents.claude?.modes.live).toEqual({ hello: 'passed', tool: 'passed' });
    const old = { ...first, agents: { claude: { ...first.agents.claude!, version: '0.0.1' } } };
    const next = withOutcomes(old, [outcome('live', 'tool', true)], day);
    expect(next.agents.claude?.modes).toEqual({ live: { tool: 'passed' } });
    expect(next.releases.claude).toMatchObject([{ version: '0.0.1', cases: 'all', passed: 1, total: 1, failed: [] }]);
  });

  it('drops cases that are no longer declared', () => {
    const first = withOutcomes(
      NO_VERIFICATIONS,
      [outcome('live', 'a case of old', true), outcome('gone', 'hello', true)],
      day,
    );
    const second = withOutcomes(first, [outcome('live', 'hello', true)], day);
    expect(second.agents.claude?.modes).toEqual({ live: { hello: 'passed' } });
  });

  it('rejects a file with another schema', () => {
    expect(() => parseVerificationRecord('{"schema":"something else","agents":{}}')).toThrow();
  });
});

describe('records of other releases', () => {
  const pinned = withOutcomes(NO_VERIFICATIONS, [outcome('live', 'hello', true)], day);
  const usual = (version: string) => ({ agent: 'claude', version, cases: 'usual' as const });

  it('store passed counts and failed cases and keep the pinned release', () => {
    const shown = [outcome('live', 'hello', true), outcome('oneshot', 'fork', false)];
    const record = withRelease(pinned, usual('2.1.3'), shown, day);
    expect(record.agents).toEqual(pinned.agents);
    expect(record.releases.claude).toMatchObject([
      { version: '2.1.3', date: '2026-03-04', cases: 'usual', passed: 1, total: 2, failed: ['oneshot fork'] },
    ]);
    expect(parseVerificationRecord(JSON.stringify(record))).toEqual(record);
  });

  it('are replaced by a newer run of the same release and sorted by version', () => {
    const good = [outcome('live', 'hello', true)];
    let record = withRelease(pinned, usual('2.1.10'), good, day);
    record = withRelease(record, usual('2.1.9'), [outcome('live', 'hello', false)], day);
    record = withRelease(record, usual('2.1.9'), good, day);
    expect(record.releases.claude?.map(({ version, failed }) => [version, failed])).toEqual([
      ['2.1.9', []],
      ['2.1.10', []],
    ]);
  });

  it('count as verified if no case failed', () => {
    let record = withRelease(pinned, usual('2.1.9'), [outcome('live', 'hello', true)], day);
    record = withRelease(record, usual('2.1.8'), [outcome('live', 'hello', false)], day);
    record = withRelease(record, usual('2.1.7'), [], day);
    expect(verifiedReleases(record, 'claude')).toEqual(['2.1.9', pinnedCli('claude').version]);
    expect(verifiedReleases(record, 'codex')).toEqual([]);
  });

  it('are dropped when that release becomes the pinned one', () => {
    const { version } = pinnedCli('claude');
    const record = withRelease(NO_VERIFICATIONS, usual(version), [outcome('live', 'hello', true)], day);
    expect(withOutcomes(record, [outcome('live', 'hello', true)], day).releases.claude).toEqual([]);
  });
});
