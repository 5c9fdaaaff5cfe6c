import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, ofType, say, sees, textOf, turnEnd, useKeepers } from '../../test/keepers.ts';
import { detectDrift } from './detect-drift.ts';

const { home, start } = useKeepers();

const opens = (model: string, permissionMode = 'ask'): Step =>
  event({ type: 'session_start', sessionId: 'native-1', model, permissionMode });
const answers: Step[] = [say('got {{turn}}'), turnEnd];
const back = { options: { sessionId: 'native-1' }, expected: { model: 'm-1', permissionMode: 'ask' } };

describe('detectDrift', () => {
  it('compares each reported fact with what the agent reported before', () => {
    const reported = { sessionId: 'native-1', model: 'm-1', permissionMode: 'ask' };
    expect(detectDrift(back, reported)).toBeUndefined();
    expect(detectDrift(back, {})).toBeUndefined();
    expect(detectDrift({ options: {} }, reported)).toBeUndefined();
    expect(detectDrift(back, { ...reported, model: 'm-2' })).toMatch(/another model \(m-2\) .* \(m-1\)$/);
    expect(detectDrift(back, { ...reported, permissionMode: 'all', sessionId: 'native-2' })).toMatch(
      /another session \(native-2\) .* and another permission mode \(all\)/,
    );
  });

  it('treats an alias and its model as the same', () => {
    const aliased = { ...back, expected: { ...back.expected, modelNames: ['m-1-2026'] } };
    expect(detectDrift(aliased, { model: 'm-1-2026' })).toBeUndefined();
    expect(detectDrift(aliased, { model: 'm-1' })).toBeUndefined();
    expect(detectDrift(aliased, { model: 'm-2' })).toMatch(/another model \(m-2\) .* \(m-1\)$/);
  });

  it('lets the run continue if nothing has changed', async () => {
    const { launch } = home({ steps: [{ do: 'live', hello: [opens('m-1')], turns: [answers] }] });
    const daemon = await start(launch(back));
    await sees(daemon, 'turn_end');
    expect(textOf(daemon.events())).toBe('got hello');
  });

  it.each([
    ['model', opens('m-2')],
    ['permission mode', opens('m-1', 'all')],
  ])('ends the run before the message is delivered if the %s differs', async (fact, hello) => {
    const { launch } = home({ steps: [{ do: 'live', hello: [hello], turns: [answers] }] });
    const daemon = await start(launch(back));
    const error = { code: 'SESSION_CHANGED', message: expect.stringContaining(`another ${fact}`) };
    expect(await sees(daemon, 'run_result')).toMatchObject({ exitReason: 'aborted', error });
    expect(textOf(daemon.events())).toBe('');
    const revoked = ofType(daemon, 'debug').filter((one) => 'code' in one && one.code === 'message_not_delivered');
    expect(revoked).toMatchObject([{ data: { messageId: 'm1' } }]);
    const types = daemon.events().map(({ type }) => type);
    expect(types.indexOf('debug')).toBe(types.indexOf('session_start') + 1);
  });

  it('ends the run without revoking the message if the agent reports only in its first turn', async () => {
    const turns: Step[][] = [[opens('m-2'), { do: 'hang' }]];
    const { launch } = home({ steps: [{ do: 'live', turns }], waitForSession: false });
    const daemon = await start(launch(back));
    expect(await sees(daemon, 'run_result')).toMatchObject({ error: { code: 'SESSION_CHANGED' } });
    expect(ofType(daemon, 'aborted')).toMatchObject([{ reason: expect.stringContaining('another model') }]);
    expect(ofType(daemon, 'debug')).toEqual([]);
  });
});
