import { modesOf } from '@agent-mux/core';
import { agentSetups } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapterOf } from './adapters.ts';
import { fullCases, standardCases } from './standard-cases.ts';

const [adapter, setup] = [adapterOf('claude'), agentSetups.claude!];
const [first, second] = modesOf(adapter);
const idsOf = (cases: readonly { id: string }[]) => cases.map(({ id }) => id);

describe('cases through the daemon', () => {
  it('are the vital ones of the default mode in a standard run', () => {
    const usual = idsOf(standardCases(adapter, first!, setup, 'daemon'));
    expect(usual).toEqual(
      expect.arrayContaining(['abort', 'second-turn', 'two-sessions', 'park-send', 'nothing-left']),
    );
    expect(usual).not.toContain('fork-open');
    expect(usual).not.toContain('hello');
    expect(standardCases(adapter, second!, setup, 'daemon')).toEqual([]);
  });

  it('are all lifecycle cases and the essential shared ones in a full run', () => {
    const full = idsOf(fullCases(adapter, first!, setup, 'daemon'));
    expect(full).toEqual(expect.arrayContaining(['fork-open', 'queued-messages', 'hello', 'rate-limit']));
    expect(full).not.toContain('terminal');
    expect(idsOf(fullCases(adapter, second!, setup, 'daemon'))).toContain('park-send');
  });

  it.each(Object.keys(agentSetups))('exist in a standard run of %s', (agent) => {
    const own = adapterOf(agent);
    const usual = standardCases(own, modesOf(own)[0]!, agentSetups[agent]!, 'daemon');
    expect(idsOf(usual)).toContain('second-turn');
  });

  it('do not run in process', () => {
    expect(idsOf(fullCases(adapter, first!, setup, 'process'))).not.toContain('second-turn');
  });
});
