import { NO_PROOFS, parseProofRecord } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { pinnedCli } from './install.ts';
import { provenReleases, withOutcomes, withRelease } from './record.ts';
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

describe('the record of proofs', () => {
  it('says which version passed which case, and when', () => {
    const record = withOutcomes(NO_PROOFS, [outcome('live', 'hello', true), outcome('oneshot', 'fork', false)], day);
    expect(record.agents.claude).toMatchObject({
      ...pinnedCli('claude'),
      date: '2026-03-04',
      modes: { live: { hello: 'passed' }, oneshot: { fork: 'failed' } },
    });
    expect(parseProofRecord(JSON.stringify(record))).toEqual(record);
  });

  it('keeps what the same version showed before, and sums up what another one did', () => {
    const first = withOutcomes(NO_PROOFS, [outcome('live', 'hello', true)], day);
    const second = withOutcomes(first, [outcome('live', 'tool', true)], day);
    expect(second.agents.claude?.modes.live).toEqual({ hello: 'passed', tool: 'passed' });
    const old = { ...first, agents: { claude: { ...first.agents.claude!, version: '0.0.1' } } };
    const next = withOutcomes(old, [outcome('live', 'tool', true)], day);
    expect(next.agents.claude?.modes).toEqual({ live: { tool: 'passed' } });
    expect(next.releases.claude).toMatchObject([{ version: '0.0.1', cases: 'all', passed: 1, total: 1, failed: [] }]);
  });

  it('forgets what is no longer declared', () => {
    const first = withOutcomes(
      NO_PROOFS,
      [outcome('live', 'a case of old', true), outcome('gone', 'hello', true)],
      day,
    );
    const second = withOutcomes(first, [outcome('live', 'hello', true)], day);
    expect(second.agents.claude?.modes).toEqual({ live: { hello: 'passed' } });
  });

  it('refuses a file of another form', () => {
    expect(() => parseProofRecord('{"schema":"something else","agents":{}}')).toThrow();
  });
});

describe('the evidence of other releases', () => {
  const pinned = withOutcomes(NO_PROOFS, [outcome('live', 'hello', true)], day);
  const usual = (version: string) => ({ agent: 'claude', version, cases: 'usual' as const });

  it('says how many cases passed and which failed, and leaves the pinned release alone', () => {
    const shown = [outcome('live', 'hello', true), outcome('oneshot', 'fork', false)];
    const record = withRelease(pinned, usual('2.1.3'), shown, day);
    expect(record.agents).toEqual(pinned.agents);
    expect(record.releases.claude).toMatchObject([
      { version: '2.1.3', date: '2026-03-04', cases: 'usual', passed: 1, total: 2, failed: ['oneshot fork'] },
    ]);
    expect(parseProofRecord(JSON.stringify(record))).toEqual(record);
  });

  it('is replaced by a newer run of the same release, and sorted by version', () => {
    const good = [outcome('live', 'hello', true)];
    let record = withRelease(pinned, usual('2.1.10'), good, day);
    record = withRelease(record, usual('2.1.9'), [outcome('live', 'hello', false)], day);
    record = withRelease(record, usual('2.1.9'), good, day);
    expect(record.releases.claude?.map(({ version, failed }) => [version, failed])).toEqual([
      ['2.1.9', []],
      ['2.1.10', []],
    ]);
  });

  it('counts as proven where nothing failed; the oldest of those is the least that is needed', () => {
    let record = withRelease(pinned, usual('2.1.9'), [outcome('live', 'hello', true)], day);
    record = withRelease(record, usual('2.1.8'), [outcome('live', 'hello', false)], day);
    record = withRelease(record, usual('2.1.7'), [], day);
    expect(provenReleases(record, 'claude')).toEqual(['2.1.9', pinnedCli('claude').version]);
    expect(provenReleases(record, 'codex')).toEqual([]);
  });

  it('is dropped when that release becomes the pinned one', () => {
    const { version } = pinnedCli('claude');
    const record = withRelease(NO_PROOFS, usual(version), [outcome('live', 'hello', true)], day);
    expect(withOutcomes(record, [outcome('live', 'hello', true)], day).releases.claude).toEqual([]);
  });
});
