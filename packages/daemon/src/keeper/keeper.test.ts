import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listFamily } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { expectDense, live, message, ofType, PATIENT, say, sees, textOf, useKeepers } from '../../test/keepers.ts';
import { readJournal } from '../journal/read-journal.ts';
import { journalIn } from '../places.ts';
import { readRecord } from './record.ts';

const { home, start, connect } = useKeepers();

async function readSeqs(folder: string): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { lines } of readJournal(journalIn(folder), -1)) seqs.push(...lines.map(({ seq }) => seq));
  return seqs;
}

describe('a keeper', () => {
  it('runs a session, takes further messages, and leaves when it is parked', async () => {
    const { launch, folder } = home();
    const daemon = await start(launch());
    await sees(daemon, 'turn_end');
    const { socket } = daemon.connection.record;
    for (const path of [join(folder(), 'keeper.json'), join(folder(), 'keeper.log'), socket])
      expect(statSync(path).mode & 0o777).toBe(0o600);
    const order = { type: 'send', sessionId: 's1', message: message('m2', 'what did I say before?') } as const;
    expect(await daemon.connection.order(order)).toEqual({ repeated: false });
    await sees(daemon, 'turn_end', 2);
    expect(textOf(daemon.events())).toContain('you said: "hello"');
    await daemon.connection.order({ type: 'end', sessionId: 's1', how: 'park' });
    await expect.poll(() => daemon.isGone, PATIENT).toBe(true);
    const events = daemon.events();
    expectDense(events);
    expect(events[0]).toMatchObject({ type: 'user_message', messageId: 'm1', text: 'hello' });
    expect(events.at(-1)).toMatchObject({ type: 'run_result', exitReason: 'completed', turnCount: 2 });
    expect(daemon.ended).toEqual(['s1']);
    await expect.poll(() => readRecord(folder()), PATIENT).toBeUndefined();
    expect(existsSync(socket)).toBe(false);
    expect(await readSeqs(folder())).toEqual(events.map(({ seq }) => seq));
    await expect(connect(folder(), {})).rejects.toMatchObject({ code: 'KEEPER_GONE' });
  });

  it('goes on with the numbers of the session', async () => {
    const { launch } = home();
    const daemon = await start(launch({ firstSeq: 41, launch: 2 }));
    await sees(daemon, 'turn_end');
    expectDense(daemon.events(), 41);
  });

  it('takes a message once, however often it is sent', async () => {
    const { launch } = home(live([say('{{turn}};')]));
    const daemon = await start(launch());
    await sees(daemon, 'turn_end');
    const send = (id: string) =>
      daemon.connection.order({ type: 'send', sessionId: 's1', message: message(id, `text of ${id}`) });
    expect(await Promise.all([send('m2'), send('m2'), send('m1')])).toEqual([
      { repeated: false },
      { repeated: true },
      { repeated: true },
    ]);
    await sees(daemon, 'turn_end', 2);
    await send('m3');
    await sees(daemon, 'turn_end', 3);
    expect(textOf(daemon.events())).toBe('hello;text of m2;text of m3;');
    expect(ofType(daemon, 'user_message')).toHaveLength(3);
  });

  it('drops what is acknowledged', async () => {
    const { launch, folder } = home(live([{ do: 'flood', lines: 3000, bytes: 3000 }]));
    const daemon = await start(launch());
    await sees(daemon, 'turn_end');
    expect(readdirSync(journalIn(folder())).length).toBeGreaterThan(1);
    daemon.connection.acknowledge('s1', daemon.last());
    await expect.poll(() => readdirSync(journalIn(folder())), PATIENT).toHaveLength(1);
  });

  it('steers, interrupts, changes the model, and says what it cannot do', async () => {
    const { launch } = home(
      live([say('ready'), { do: 'await-steer' }, say('{{steer}}')], [say('working'), { do: 'hang' }]),
    );
    const daemon = await start(launch());
    const { order } = daemon.connection;
    await sees(daemon, 'text_delta');
    await order({ type: 'steer', sessionId: 's1', message: message('m2', 'to the left') });
    await sees(daemon, 'turn_end');
    expect(textOf(daemon.events())).toBe('readyto the left');
    expect(ofType(daemon, 'user_message')[1]).toMatchObject({ messageId: 'm2', delivery: 'steer' });
    await expect(order({ type: 'steer', sessionId: 's1', message: message('m3') })).rejects.toMatchObject({
      code: 'RUN_ENDED',
    });
    await order({ type: 'set', sessionId: 's1', model: 'bigger', approvalMode: 'yolo' });
    await expect(order({ type: 'set', sessionId: 's1', approvalMode: 'odd' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await order({ type: 'send', sessionId: 's1', message: message('m4') });
    await sees(daemon, 'text_delta', 3);
    await order({ type: 'interrupt', sessionId: 's1' });
    expect(await sees(daemon, 'turn_end', 2)).toMatchObject({ status: 'interrupted' });
    await expect(order({ type: 'interrupt', sessionId: 'other' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const missing = { ...message('m5'), attachments: [{ path: '/nowhere/x.png', name: 'x.png' }] };
    await expect(order({ type: 'send', sessionId: 's1', message: missing })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(ofType(daemon, 'user_message')).toHaveLength(3);
  });

  it('ends a run that tells more than it may', async () => {
    const { launch } = home(live([{ do: 'flood', lines: 100_000, bytes: 1000 }]));
    const daemon = await start(launch({ limits: { maxOutputBytes: 1_000_000, inlineChars: 16_000 } }));
    await sees(daemon, 'run_result');
    expect(ofType(daemon, 'aborted')).toMatchObject([{ reason: expect.stringContaining('more than 1000000 bytes') }]);
    expectDense(daemon.events());
  });

  it('tells of an agent that crashes, and leaves', async () => {
    const { launch, folder } = home();
    const daemon = await start(launch({ message: message('m1', 'fail crash') }));
    await expect.poll(() => daemon.isGone, PATIENT).toBe(true);
    expect(daemon.events().at(-1)).toMatchObject({ type: 'run_result', exitReason: 'crashed' });
    await expect.poll(() => readRecord(folder()), PATIENT).toBeUndefined();
  });

  it('that is killed takes its agent with it, and its journal is whole up to the last line', async () => {
    const { launch, folder } = home({
      steps: [
        {
          do: 'live',
          turns: [
            [
              { do: 'grandchild', detached: true },
              { do: 'flood', lines: 1_000_000, bytes: 500 },
            ],
          ],
        },
      ],
    });
    const given = launch();
    const daemon = await start(given);
    await sees(daemon, 'text_delta', 500);
    expect(listFamily(-1, given.runId).length).toBeGreaterThan(1);
    process.kill(daemon.connection.record.pid, 'SIGKILL');
    await expect.poll(() => daemon.isGone, PATIENT).toBe(true);
    await expect.poll(() => listFamily(-1, given.runId), PATIENT).toEqual([]);
    const seqs = await readSeqs(folder());
    expect(seqs.length).toBeGreaterThan(500);
    expect(seqs).toEqual(seqs.map((_, index) => index));
    expect(daemon.last()).toBeLessThanOrEqual(seqs.at(-1) ?? 0);
    await expect(connect(folder(), {})).rejects.toMatchObject({ code: 'KEEPER_GONE' });
    // The same launch again would send the message again.
    await expect(start(given)).rejects.toMatchObject({ code: 'MESSAGE_KNOWN' });
    await expect(start({ ...given, message: message('m9') })).rejects.toMatchObject({ code: 'JOURNAL_AHEAD' });
    const next = await start({ ...launch({ message: message('m9') }), launch: 2, firstSeq: seqs.length });
    expect(next.connection.welcome.sessions[0]?.accepted).toEqual(['m1', 'm9']);
  });

  it('parks when it is told to leave, and then ends what does not stop', async () => {
    const { launch } = home();
    const daemon = await start(launch());
    await sees(daemon, 'turn_end');
    process.kill(daemon.connection.record.pid, 'SIGHUP');
    process.kill(daemon.connection.record.pid, 'SIGINT');
    process.kill(daemon.connection.record.pid, 'SIGTERM');
    await expect.poll(() => daemon.isGone, PATIENT).toBe(true);
    expect(daemon.events().at(-1)).toMatchObject({ type: 'run_result', exitReason: 'completed' });
    const busy = await start(home().launch({ message: message('m1', 'hang') }));
    await sees(busy, 'text_delta');
    process.kill(busy.connection.record.pid, 'SIGTERM');
    await expect.poll(() => busy.isGone, PATIENT).toBe(true);
    expect(busy.events().at(-1)).toMatchObject({ type: 'run_result', exitReason: 'aborted' });
  });

  it('has a name that says what it holds', async () => {
    const { launch } = home();
    const { connection } = await start(launch({ sessionId: 's1a2b3' }));
    const command = readFileSync(`/proc/${connection.record.pid}/cmdline`, 'utf8').replaceAll('\0', '');
    expect(command).toBe('amux-keeper demo s1a2b3');
  });
});
