import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectDense, live, message, PATIENT, say, sees, textOf, useKeepers } from '../../test/keepers.ts';
import { readRecord, recordPath } from './record.ts';

const { home, start, connect } = useKeepers();

describe('shared keeper', () => {
  it('holds several sessions with separate journals and exits after the last', async () => {
    const { launch, folder } = home(live([say('{{turn}} ')]));
    const daemon = await start(launch({ group: 'fake/live' }));
    const second = launch({ sessionId: 's2', group: 'fake/live', firstSeq: 7, message: message('m1', 'second') });
    const { order } = daemon.connection;
    const open = { type: 'open', launch: second, after: 6 } as const;
    expect(await order(open)).toMatchObject({ sessionId: 's2', launch: 1, accepted: ['m1'] });
    // A repeated request returns the same session.
    expect(await order(open)).toMatchObject({ sessionId: 's2', launch: 1 });
    await order({ type: 'send', sessionId: 's2', message: message('m2', 'more') });
    await sees(daemon, 'turn_end', 3);
    expect(textOf(daemon.events('s1'))).toBe('hello ');
    expect(textOf(daemon.events('s2'))).toBe('second more ');
    expectDense(daemon.events('s1'));
    expectDense(daemon.events('s2'), 7);
    expect(readRecord(folder('s2'))).toEqual(readRecord(folder('s1')));

    await order({ type: 'end', sessionId: 's1', how: 'park' });
    await expect.poll(() => daemon.ended, PATIENT).toEqual(['s1']);
    expect(existsSync(recordPath(folder('s1')))).toBe(false);
    // The folder of the remaining session still leads to the keeper.
    const next = await connect(folder('s2'), { s2: daemon.last('s2') });
    expect(next.connection.welcome.sessions.map(({ sessionId, phase }) => [sessionId, phase])).toEqual([
      ['s1', 'ended'],
      ['s2', 'idle'],
    ]);
    await next.connection.order({ type: 'end', sessionId: 's2', how: 'park' });
    await expect.poll(() => next.isGone, PATIENT).toBe(true);
    await expect.poll(() => existsSync(recordPath(folder('s2'))), PATIENT).toBe(false);
  });

  it('refuses sessions of another group or environment without leaving files', async () => {
    const { launch, hostEnv, folder } = home(live([say('x')]));
    const { connection } = await start(launch({ group: 'fake/live' }));
    const open = (given: Parameters<typeof launch>[0]) =>
      connection.order({ type: 'open', launch: launch({ sessionId: 's2', ...given }), after: -1 });
    await expect(open({ group: 'other' })).rejects.toMatchObject({ code: 'GROUP_MISMATCH' });
    await expect(open({})).rejects.toMatchObject({ code: 'GROUP_MISMATCH' });
    const other = { ...hostEnv, SOME_API_KEY: 'other' };
    await expect(open({ group: 'fake/live', hostEnv: other })).rejects.toMatchObject({ code: 'ENVIRONMENT_MISMATCH' });
    await expect(open({ group: 'fake/live', options: { timeout: -1 } })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(existsSync(recordPath(folder('s2')))).toBe(false);
    await expect(open({ group: 'fake/live', hostEnv: { ...hostEnv, PWD: '/other' } })).resolves.toBeDefined();
  });

  it('refuses a second session if it was started without a group', async () => {
    const { launch } = home(live([say('x')]));
    const { connection } = await start(launch());
    await expect(
      connection.order({ type: 'open', launch: launch({ sessionId: 's2' }), after: -1 }),
    ).rejects.toMatchObject({ code: 'GROUP_MISMATCH' });
  });
});
