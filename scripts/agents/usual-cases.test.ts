import { modesOf } from '@agent-mux/core';
import { agentProofs } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapterOf } from './adapters.ts';
import { fullCases, usualCases } from './usual-cases.ts';

const [adapter, proof] = [adapterOf('claude'), agentProofs.claude!];
const [first, second] = modesOf(adapter);
const idsOf = (cases: readonly { id: string }[]) => cases.map(({ id }) => id);

describe('cases through the daemon', () => {
  it('are the vital ones of the default mode in the usual run', () => {
    const usual = idsOf(usualCases(adapter, first!, proof, 'daemon'));
    expect(usual).toEqual(
      expect.arrayContaining(['abort', 'second-turn', 'two-sessions', 'park-send', 'nothing-left']),
    );
    expect(usual).not.toContain('fork-open');
    expect(usual).not.toContain('hello');
    expect(usualCases(adapter, second!, proof, 'daemon')).toEqual([]);
  });

  it('are all lifecycle cases and the essential ones of both carriers in the full run', () => {
    const full = idsOf(fullCases(adapter, first!, proof, 'daemon'));
    expect(full).toEqual(expect.arrayContaining(['fork-open', 'queued-messages', 'hello', 'rate-limit']));
    expect(full).not.toContain('terminal');
    expect(idsOf(fullCases(adapter, second!, proof, 'daemon'))).toContain('park-send');
  });

  it.each(Object.keys(agentProofs))('exist in the usual run of %s', (agent) => {
    const own = adapterOf(agent);
    const usual = usualCases(own, modesOf(own)[0]!, agentProofs[agent]!, 'daemon');
    expect(idsOf(usual)).toContain('second-turn');
  });

  it('are not part of the cases in process', () => {
    expect(idsOf(fullCases(adapter, first!, proof, 'process'))).not.toContain('second-turn');
  });
});
