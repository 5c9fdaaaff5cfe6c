import type { AgentEvent, RunOptions } from '@agent-mux/core';
import { assertEventOrder, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { useDaemons } from '../../../test/fake-daemon.ts';
import { deltasOf, eventsOf, live, next, renumber, say, turnEnd } from '../../../test/steps.ts';

const bench = useDaemons();
const options: RunOptions = { agent: 'fake', prompt: 'go' };

describe('attached run', () => {
  const steps = live([say('0 '), say('1 '), { do: 'await-steer' }, say('2 '), turnEnd], [say('3 '), turnEnd]);

  it('resumes after the last processed event and ends by the same rule', async () => {
    const daemon = await bench.daemon(steps);
    const first = bench.client(daemon);
    const started = first.run(options);
    const before: AgentEvent[] = [];
    for await (const each of started) {
      before.push(each);
      if (deltasOf(before).length === 1) break;
    }
    const { id } = await started.opened;
    await first.close();
    const handle = bench.client(daemon).attach(id, { after: before.at(-1)!.seq });
    const reading = eventsOf(handle);
    await handle.opened;
    await handle.steer('continue');
    const after = await reading;
    expect(deltasOf([...before, ...after])).toEqual([0, 1, 2]);
    assertEventOrder(renumber([...before, ...after]));
    expect(await handle).toMatchObject({ exitReason: 'completed', turnCount: 1 });
    expect(handle).toMatchObject({ agent: 'fake', mode: 'live', id, sessionId: daemon.session.row.agentSessionId });
  });

  it('has its result even if it ended meanwhile', async () => {
    const daemon = await bench.daemon(live([say('0 '), turnEnd]));
    const client = bench.client(daemon);
    const started = client.run(options);
    const result = await started;
    const taken = client.attach('s1', { after: started.lastSeq });
    expect(await eventsOf(taken)).toEqual([]);
    expect(await taken).toEqual(result);
    const all = client.attach('s1');
    expect(deltasOf(await eventsOf(all))).toEqual([0]);
    expect(await all).toEqual(result);
  });

  it('has the result of the last launch and the events of all', async () => {
    const daemon = await bench.daemon(live([say('0 '), turnEnd]));
    const client = bench.client(daemon);
    await client.run(options);
    await client.sessions.send('s1', { text: 'again' });
    const last = await client.attach('s1', { after: daemon.session.lastSeq });
    const handle = client.attach('s1');
    expect(deltasOf(await eventsOf(handle))).toEqual([0, 0]);
    expect(await handle).toEqual(last);
    expect(daemon.session.row.launch).toBe(2);
  });

  it('is parked if its turn had ended without a further message', async () => {
    const daemon = await bench.daemon(steps);
    const first = bench.client(daemon);
    const started = first.run({ ...options, interactive: true });
    await next(started, 'text_delta');
    const ended = next(started, 'turn_end');
    await started.steer('continue');
    const { seq } = await ended;
    await first.close();
    const handle = bench.client(daemon).attach('s1', { after: seq });
    expect((await eventsOf(handle)).map(({ type }) => type)).toEqual(['session_end']);
    expect(await handle).toMatchObject({ exitReason: 'completed' });
  });

  it('is only watched with interactive, through all its launches', async () => {
    const daemon = await bench.daemon(live([say('0 '), turnEnd]));
    const client = bench.client(daemon);
    await client.run(options);
    await client.sessions.send('s1', { text: 'again' });
    const handle = client.attach('s1', { interactive: true });
    const ends: number[] = [];
    for await (const each of handle) {
      if (each.type === 'turn_end') ends.push(each.seq);
      if (ends.length === 2) break;
    }
    expect(daemon.calls.filter((call) => call.endsWith('/park'))).toHaveLength(1);
    expect(daemon.session.row).toMatchObject({ launch: 2, activity: 'idle' });
    await handle.end();
  });

  it('answers a request from before', async () => {
    const ask: Step = {
      do: 'ask',
      event: { type: 'approval_request', requestId: 'r', toolName: 'Bash', title: 'Run it?', options: [] },
      allowed: [say('allowed')],
      denied: [say('denied')],
    };
    const daemon = await bench.daemon(live([ask, turnEnd]));
    const first = bench.client(daemon);
    const started = first.run(options);
    const { seq } = await next(started, 'approval_request');
    await first.close();
    const handle = bench.client(daemon).attach('s1', { after: seq });
    await handle.opened;
    expect(handle.pending()).toMatchObject([{ requestId: 'r', type: 'approval_request' }]);
    handle.approve('r');
    expect((await handle).text).toBe('allowed');
  });

  it('fails if the session does not exist', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench.client(daemon).attach('nowhere');
    await expect(handle.result).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND', problem: 'NOT_FOUND', status: 404 });
  });
});
