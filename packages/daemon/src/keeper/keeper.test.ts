import { describe, expect, it } from 'vitest';
import { expectDense, ofType, sees, textOf, useKeepers } from '../../test/keepers.ts';

const { home, start, connect } = useKeepers();

describe('a keeper', () => {
  it('runs a session, tells its events in order, takes further messages, and leaves when it is parked', async () => {
    const { launch, folder } = home();
    const daemon = await start(launch());
    await sees(daemon, 'turn_end');
    expect(
      await daemon.connection.order({
        type: 'send',
        sessionId: 's1',
        message: { messageId: 'm2', text: 'what did I say before?', attachments: [] },
      }),
    ).toEqual({ repeated: false });
    await sees(daemon, 'turn_end', 2);
    expect(textOf(daemon.events())).toContain('you said: "hello"');
    await daemon.connection.order({ type: 'end', sessionId: 's1', how: 'park' });
    await expect.poll(() => daemon.isGone).toBe(true);
    const events = daemon.events();
    expectDense(events);
    expect(events[0]).toMatchObject({ type: 'user_message', messageId: 'm1', text: 'hello' });
    expect(events.at(-1)).toMatchObject({ type: 'run_result', exitReason: 'completed', turnCount: 2 });
    expect(daemon.ended).toEqual(['s1']);
    expect(ofType(daemon, 'user_message')).toHaveLength(2);
    await expect(connect(folder(), {})).rejects.toThrow('no keeper has left a record');
  });
});
