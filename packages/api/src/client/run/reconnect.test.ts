import type { AgentEvent, RunOptions } from '@agent-mux/core';
import { assertEventOrder, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { sha256, TOKEN, useDaemons } from '../../../test/fake-daemon.ts';
import { Rejection } from '../../../test/fake-sessions.ts';
import { deltasOf, event, eventsOf, live, next, renumber, say, steady, turnEnd } from '../../../test/steps.ts';

const bench = useDaemons();
const options: RunOptions = { agent: 'fake', prompt: 'go' };
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => say(`${from + i} `));
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('daemon that dies during a run', () => {
  it('comes back: every event once and in order, with the same result', async () => {
    const pause: Step = { do: 'await-steer' };
    const script = live([...numbers(0, 50), pause, ...numbers(50, 50), pause, ...numbers(100, 50), turnEnd]);
    const daemon = await bench.daemon(script);
    const handle = bench.client(daemon).run(options);
    const reading = eventsOf(handle);
    const streams = () => daemon.calls.filter((call) => call.endsWith('/events')).length;
    for (const round of [1, 2]) {
      await expect.poll(() => deltasOf([...JSON.parse(`[${daemon.session.lines.join(',')}]`)]).length).toBe(round * 50);
      await expect.poll(streams).toBeGreaterThanOrEqual(round);
      await daemon.kill();
      await expect.poll(() => daemon.connections).toBe(0);
      await daemon.listen();
      await handle.steer('continue');
    }
    const events = await reading;
    expect(deltasOf(events)).toEqual(upTo(150));
    assertEventOrder(renumber(events));
    expect((await handle).exitReason).toBe('completed');
    expect(streams()).toBeGreaterThan(2);
  });

  it('comes back at another address with another token', async () => {
    const daemon = await bench.daemon(live([say('0 '), { do: 'await-steer' }, say('1 '), turnEnd]));
    let token = TOKEN;
    const located: boolean[] = [];
    const client = bench.client(daemon, {
      at: async (again) => {
        located.push(again);
        return { url: daemon.url, token };
      },
    });
    const handle = client.run(options);
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    await daemon.kill();
    daemon.token = 'another';
    await daemon.listen(0);
    token = 'another';
    await handle.steer('continue');
    expect(deltasOf(await reading)).toEqual([0, 1]);
    expect(located[0]).toBe(false);
    expect(located).toContain(true);
  });

  it('delivers each message once, even if the response was lost', async () => {
    const daemon = await bench.daemon(live([say('first'), turnEnd], [say('second'), turnEnd]));
    const handle = bench.client(daemon).run({ ...options, interactive: true });
    await next(handle, 'turn_end');
    const { send } = daemon.session;
    let lost = 0;
    daemon.session.send = async (message) => {
      const row = await send.call(daemon.session, message);
      if (lost++ === 0) await daemon.kill();
      return row;
    };
    const second = next(handle, 'turn_end');
    const sending = handle.send('once');
    await expect.poll(() => lost).toBe(1);
    await daemon.listen();
    await Promise.all([sending, second]);
    expect(lost).toBe(2);
    expect(daemon.session.received.map(({ text }) => text)).toEqual(['once']);
    expect(await handle.end()).toMatchObject({ turnCount: 2 });
  });

  it('finds and answers a request sent meanwhile', async () => {
    const ask: Step = {
      do: 'ask',
      event: { type: 'approval_request', requestId: 'r', toolName: 'Bash', title: 'Run it?', options: [] },
      allowed: [say('allowed')],
      denied: [say('denied')],
    };
    const daemon = await bench.daemon(live([say('ready'), { do: 'await-steer' }, ask, turnEnd]));
    const handle = bench.client(daemon).run({ ...options, onApprovalRequest: () => ({ decision: 'allow' }) });
    await next(handle, 'text_delta');
    await daemon.kill();
    await daemon.session.handle?.steer('continue');
    await expect.poll(() => daemon.session.requests.length).toBe(1);
    await daemon.listen();
    expect((await handle).text).toContain('allowed');
  });

  it('does not come back: the run fails with what is needed to attach later', async () => {
    const daemon = await bench.daemon(live([say('so far'), { do: 'hang' }]));
    const handle = bench.client(daemon, { patienceMs: 300 }).run(options);
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    await daemon.kill();
    await expect(handle.result).rejects.toMatchObject({ code: 'NETWORK_ERROR', retryable: true });
    await expect(reading).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    expect(handle).toMatchObject({ id: 's1', text: 'so far' });
  });

  it('is not ready yet: the run waits and is created once', async () => {
    const daemon = await bench.daemon(live([say('hello'), turnEnd]));
    await daemon.kill();
    const handle = bench.client(daemon).run(options);
    await new Promise((resolve) => setImmediate(resolve));
    daemon.rejections = [{ call: /^POST/, rejection: new Rejection(503, 'NOT_READY', 'in a moment'), times: 2 }];
    await daemon.listen();
    expect(await handle).toMatchObject({ text: 'hello' });
    expect(daemon.sessions.size).toBe(1);
  });

  it('dies while creating the session: not retried, as it may exist', async () => {
    const daemon = await bench.daemon(live([say('hello'), turnEnd]));
    const handle = bench.client(daemon).run(options);
    daemon.onCall = (call) => {
      if (call === 'POST /sessions') void daemon.kill();
    };
    await expect(handle.result).rejects.toMatchObject({ code: 'NETWORK_ERROR', problem: 'UNREACHABLE', sent: true });
    expect(daemon.calls).toEqual(['POST /sessions']);
    daemon.onCall = () => {};
    await daemon.listen();
  });
});

describe('reader of a run through the daemon', () => {
  it('loses nothing if it stalls; the daemon keeps the rest', async () => {
    const count = 60_000;
    const daemon = await bench.daemon(live([{ do: 'flood', lines: count, bytes: 200 }, turnEnd]));
    const handle = bench.client(daemon).run(options);
    const reader = handle[Symbol.asyncIterator]();
    await reader.next();
    await expect.poll(() => daemon.session.lastSeq, { timeout: 20_000 }).toBeGreaterThan(count);
    const seen = await steady(() => handle.lastSeq);
    expect(seen).toBeLessThan(count / 4);
    const events: AgentEvent[] = [];
    for (let each = await reader.next(); !each.done; each = await reader.next()) events.push(each.value);
    expect(deltasOf(events)).toEqual(upTo(count));
  });

  it('gets long strings in full, though they are stored separately', async () => {
    const long = 'very long '.repeat(100);
    const stored = (value: string) => ({
      $blob: { sha256: sha256(value), chars: value.length, preview: value.slice(0, 9) },
    });
    const daemon = await bench.daemon(live([say('0 '), { do: 'await-steer' }, say('1 '), turnEnd]));
    daemon.blobs.set(sha256(long), long);
    const handle = bench.client(daemon).run(options);
    const reading = eventsOf(handle);
    const { agent, runId, turnIndex } = await next(handle, 'text_delta');
    const toolResult = {
      type: 'tool_result',
      toolCallId: 't',
      toolName: 'Read',
      kind: 'read',
      agent,
      runId,
      turnIndex,
    };
    const list = JSON.stringify(['a', 'list']);
    daemon.blobs.set(sha256(list), list);
    const lines = [stored(long), stored('gone for good'), { $blob: { ...stored(list).$blob, json: true } }];
    const cut = `very\n[${long.length - 4} more characters; all of it is blob ${sha256(long)}]`;
    const feigned = `very\n[1 more characters; all of it is blob ${sha256(long)}]`;
    const moved = `[${long.length} characters; all of it is blob ${sha256(long)}]`;
    daemon.session.append({ ...toolResult, output: { lines, cut, feigned, moved }, timestamp: 0 });
    await handle.steer('continue');
    const result = (await reading).find(({ type }) => type === 'tool_result');
    const whole = { lines: [long, 'gone for ', ['a', 'list']], cut: long, feigned, moved: long };
    expect(result).toMatchObject({ output: whole });
  });

  it('may never read without losing any of the result', async () => {
    const daemon = await bench.daemon(
      live([{ do: 'flood', lines: 5000, bytes: 100 }, event({ type: 'title', title: 't' }), turnEnd]),
    );
    const handle = bench.client(daemon).run(options);
    expect((await handle).text.length).toBeGreaterThan(5000 * 60);
    expect(handle.text).toBe((await handle).text);
  });
});
