import { NO_PROOFS, parseProofRecord } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { pinnedCli } from './install.ts';
import { withOutcomes } from './record.ts';
import type { Outcome } from './table.ts';

const outcome = (mode: string, id: string, ok: boolean): Outcome => ({
  agent: 'claude',
  mode,
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

  it('keeps what the same version showed before, and forgets what another one did', () => {
    const first = withOutcomes(NO_PROOFS, [outcome('live', 'hello', true)], day);
    const second = withOutcomes(first, [outcome('live', 'tool', true)], day);
    expect(second.agents.claude?.modes.live).toEqual({ hello: 'passed', tool: 'passed' });
    const old = { ...first, agents: { claude: { ...first.agents.claude!, version: '0.0.1' } } };
    expect(withOutcomes(old, [outcome('live', 'tool', true)], day).agents.claude?.modes).toEqual({
      live: { tool: 'passed' },
    });
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
