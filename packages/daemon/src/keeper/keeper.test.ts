import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listProcessTree } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { expectDense, live, message, ofType, PATIENT, say, sees, textOf, useKeepers } from '../../test/keepers.ts';
import { readJournal } from '../journal/read-journal.ts';
import { journalIn } from '../paths.ts';
import { readRecord } from './record.ts';

const { home, start, connect } = useKeepers();

async function readSeqs(folder: string): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { lines } of readJournal(journalIn(folder), -1)) seqs.push(...lines.map(({ seq }) => seq));
  return seqs;
}

describe('keeper', () => {
  it('runs a session, accepts further messages, and exits when parked', async () => {
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

  it('continues the seqs of the session', async () => {
    const { launch } = home();
    const daemon = await start(launch({ firstSeq: 41, launch: 2 }));
    await sees(daemon, 'turn_end');
    expectDense(daemon.events(), 41);
  });

  it('accepts a repeated message only once', async () => {
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

  it('deletes acknowledged segments', async () => {
    const { launch, folder } = home(live([{ do: 'flood', lines: 3000, bytes: 3000 }]));
    const daemon = await start(launch());
    await sees(daemon, 'turn_end');
    expect(readdirSync(journalIn(folder())).length).toBeGreaterThan(1);
    daemon.connection.acknowledge('s1', daemon.last());
    await expect.poll(() => readdirSync(journalIn(folder())), PATIENT).toHaveLength(1);
  });

  it('steers, interrupts, changes the model, and reports unsupported commands', async () => {
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

  it('ends a run that exceeds its output limit', async () => {
    const { launch } = home(live([{ do: 'flood', lines: 100_000, bytes: 1000 }]));
    const daemon = await start(launch({ limits: { maxOutputBytes: 1_000_000, maxInlineChars: 16_000 } }));
    await sees(daemon, 'run_result');
    expect(ofType(daemon, 'aborted')).toMatchObject([{ reason: expect.stringContaining('limit of 1000000 bytes') }]);
    expectDense(daemon.events());
  });

  it('reports a crashed agent and exits', async () => {
    const { launch, folder } = home();
    const daemon = await start(launch({ message: message('m1', 'fail crash') }));
    await expect.poll(() => daemon.isGone, PATIENT).toBe(true);
    expect(daemon.events().at(-1)).toMatchObject({ type: 'run_result', exitReason: 'crashed' });
    await expect.poll(() => readRecord(folder()), PATIENT).toBeUndefined();
  });

  it('takes its agent with it when killed and leaves an intact journal', async () => {
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
    const options = launch();
    const daemon = await start(options);
    await sees(daemon, 'text_delta', 500);
    expect(listProcessTree(-1, options.runId).length).toBeGreaterThan(1);
    process.kill(daemon.connection.record.pid, 'SIGKILL');
    await expect.poll(() => daemon.isGone, PATIENT).toBe(true);
    await expect.poll(() => listProcessTree(-1, options.runId), PATIENT).toEqual([]);
    const seqs = await readSeqs(folder());
    expect(seqs.length).toBeGreaterThan(500);
    expect(seqs).toEqual(seqs.map((_, index) => index));
    expect(daemon.last()).toBeLessThanOrEqual(seqs.at(-1) ?? 0);
    await expect(connect(folder(), {})).rejects.toMatchObject({ code: 'KEEPER_GONE' });
    // Repeating the launch would send the message again.
    await expect(start(options)).rejects.toMatchObject({ code: 'DUPLICATE_MESSAGE' });
    await expect(start({ ...options, message: message('m9') })).rejects.toMatchObject({ code: 'JOURNAL_AHEAD' });
    const next = await start({ ...launch({ message: message('m9') }), launch: 2, firstSeq: seqs.length });
    expect(next.connection.welcome.sessions[0]?.accepted).toEqual(['m1', 'm9']);
  });

  it('parks on SIGTERM and aborts a turn that does not stop', async () => {
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

  it('shows its agent and session in the process title', async () => {
    const { launch } = home();
    const { connection } = await start(launch({ sessionId: 's1a2b3' }));
    const command = readFileSync(`/proc/${connection.record.pid}/cmdline`, 'utf8').replaceAll('\0', '');
    expect(command).toBe('amux-keeper demo s1a2b3');
  });
});
