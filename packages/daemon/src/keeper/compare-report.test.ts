import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, ofType, say, sees, textOf, turnEnd, useKeepers } from '../../test/keepers.ts';
import { findChange } from './compare-report.ts';

const { home, start } = useKeepers();

const opens = (model: string, permissionMode = 'ask'): Step =>
  event({ type: 'session_start', sessionId: 'native-1', model, permissionMode });
const answers: Step[] = [say('got {{turn}}'), turnEnd];
const back = { options: { sessionId: 'native-1' }, expected: { model: 'm-1', permissionMode: 'ask' } };

describe('what an agent tells when it comes back', () => {
  it('is compared with its own words of before, fact by fact, where it tells one', () => {
    const told = { sessionId: 'native-1', model: 'm-1', permissionMode: 'ask' };
    expect(findChange(back, told)).toBeUndefined();
    expect(findChange(back, {})).toBeUndefined();
    expect(findChange({ options: {} }, told)).toBeUndefined();
    expect(findChange(back, { ...told, model: 'm-2' })).toMatch(/another model \(m-2\) .* \(m-1\)$/);
    expect(findChange(back, { ...told, permissionMode: 'all', sessionId: 'native-2' })).toMatch(
      /another session \(native-2\) .* and another permission mode \(all\)/,
    );
  });

  it('takes an alias and what it stands for as one model', () => {
    const aliased = { ...back, expected: { ...back.expected, modelNames: ['m-1-2026'] } };
    expect(findChange(aliased, { model: 'm-1-2026' })).toBeUndefined();
    expect(findChange(aliased, { model: 'm-1' })).toBeUndefined();
    expect(findChange(aliased, { model: 'm-2' })).toMatch(/another model \(m-2\) .* \(m-1\)$/);
  });

  it('lets it go on where nothing has changed', async () => {
    const { launch } = home({ steps: [{ do: 'live', hello: [opens('m-1')], turns: [answers] }] });
    const daemon = await start(launch(back));
    await sees(daemon, 'turn_end');
    expect(textOf(daemon.events())).toBe('got hello');
  });

  it.each([
    ['model', opens('m-2')],
    ['permission mode', opens('m-1', 'all')],
  ])('ends it before the message reaches it, where it has another %s', async (fact, hello) => {
    const { launch } = home({ steps: [{ do: 'live', hello: [hello], turns: [answers] }] });
    const daemon = await start(launch(back));
    const error = { code: 'SESSION_CHANGED', message: expect.stringContaining(`another ${fact}`) };
    expect(await sees(daemon, 'run_result')).toMatchObject({ exitReason: 'aborted', error });
    expect(textOf(daemon.events())).toBe('');
    const taken = ofType(daemon, 'debug').filter((one) => 'code' in one && one.code === 'message_not_delivered');
    expect(taken).toMatchObject([{ data: { messageId: 'm1' } }]);
    const types = daemon.events().map(({ type }) => type);
    expect(types.indexOf('debug')).toBe(types.indexOf('session_start') + 1);
  });

  it('ends it at once where it tells with its first turn only: the message is not taken for undelivered', async () => {
    const turns: Step[][] = [[opens('m-2'), { do: 'hang' }]];
    const { launch } = home({ steps: [{ do: 'live', turns }], sessionFirst: false });
    const daemon = await start(launch(back));
    expect(await sees(daemon, 'run_result')).toMatchObject({ error: { code: 'SESSION_CHANGED' } });
    expect(ofType(daemon, 'aborted')).toMatchObject([{ reason: expect.stringContaining('another model') }]);
    expect(ofType(daemon, 'debug')).toEqual([]);
  });
});
