import type { AgentEvent, RunOptions } from '@agent-mux/core';
import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { useDaemons } from '../../../test/fake-daemon.ts';
import { FakeSession } from '../../../test/fake-sessions.ts';
import { event, eventsOf, live, next, say, turnEnd } from '../../../test/steps.ts';

const bench = useDaemons();
const options: RunOptions = { agent: 'fake', prompt: 'go' };
const hang: Step = { do: 'hang' };
/** Without times, ids and sequence numbers. */
function bodies(events: readonly AgentEvent[]): object[] {
  return events.map(({ seq: _s, timestamp: _t, runId: _r, sessionId: _i, ...body }) => body);
}

/** Long enough for premature actions to show. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 50));

describe('run through the daemon', () => {
  const tool: Step[] = [
    event({ type: 'tool_call_ready', toolCallId: 't', toolName: 'Bash', input: { command: 'ls' } }),
    event({ type: 'tool_result', toolCallId: 't', toolName: 'Bash', output: 'a file' }),
  ];
  const steps = live([say('he'), say('llo'), ...tool, turnEnd], [say('again: {{turn}}'), turnEnd]);

  it('emits the same events and result as an in-process run', async () => {
    const daemon = await bench.daemon(steps);
    const client = bench.client(daemon);
    const program = async (mux: {
      run(options: RunOptions): ReturnType<typeof client.run> | ReturnType<typeof daemon.engine.run>;
    }) => {
      const run = mux.run({ ...options, tags: ['a'] });
      const events: AgentEvent[] = [];
      let isSent = false;
      for await (const each of run) {
        events.push(each);
        if (each.type !== 'turn_end' || isSent) continue;
        isSent = true;
        await run.send('more');
      }
      const { durationMs: _d, runId: _r, sessionId: _s, ...result } = await run;
      return { events: bodies(events), result, text: run.text, mode: run.mode, agent: run.agent };
    };
    const here = await program(daemon.engine);
    const there = await program(client);
    expect(there).toEqual(here);
    expect(here.result).toMatchObject({ text: 'again: more', turnCount: 2, exitReason: 'completed', tags: ['a'] });
  });

  it('ends and is parked for a caller that only awaits it', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench.client(daemon).run(options);
    expect(await handle).toMatchObject({ text: 'hello', exitReason: 'completed', turnCount: 1 });
    expect(daemon.calls.filter((call) => call.endsWith('/park'))).toHaveLength(1);
    expect(handle).toMatchObject({ id: 's1', agent: 'fake', mode: 'live', lastSeq: daemon.session.lastSeq });
    await expect(handle.send('late')).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('sends only data, with what the daemon needs to know', async () => {
    const daemon = await bench.daemon(steps);
    const client = bench.client(daemon, { env: { HOME: '/home/user', NOTHING: undefined } });
    const onApprovalRequest = () => undefined;
    const { signal } = new AbortController();
    await client.run({
      ...options,
      prompt: ['a', 'b'],
      env: { OWN: '1' },
      model: 'fake-model',
      signal,
      onApprovalRequest,
    });
    expect(daemon.session.body).toEqual({
      agent: 'fake',
      prompt: 'a\nb',
      messageId: expect.any(String),
      cwd: process.cwd(),
      options: { model: 'fake-model' },
      env: { OWN: '1' },
      hostEnv: { HOME: '/home/user' },
      trustProject: false,
      files: [],
      tags: [],
    });
  });

  it('supports batches and listeners like an in-process run', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench.client(daemon).run(options);
    const heard: string[] = [];
    handle.on('*', ({ type }) => void heard.push(type)).once('text_delta', () => void heard.push('once'));
    const gone = () => void heard.push('gone');
    handle.on('text_delta', gone).off('text_delta', gone);
    const batches: AgentEvent[][] = [];
    for await (const batch of handle.batches()) batches.push(batch);
    expect(batches.flat().map(({ type }) => type)).toEqual(heard.filter((type) => type !== 'once'));
    expect(heard.filter((type) => type === 'once' || type === 'gone')).toEqual(['once']);
  });

  it('waits for a reader that is about to send, and for its message', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench.client(daemon).run(options);
    const parks = () => daemon.calls.filter((call) => call.endsWith('/park')).length;
    const { send } = FakeSession.prototype;
    let isSent = false;
    for await (const { type } of handle) {
      if (type !== 'turn_end' || isSent) continue;
      isSent = true;
      await rest();
      expect(parks()).toBe(0);
      // Not awaited: the reader continues while the daemon takes its time.
      const { promise: late, resolve } = Promise.withResolvers<void>();
      daemon.session.send = async (message) => {
        await late;
        return send.call(daemon.session, message);
      };
      void handle.send('more');
      setTimeout(resolve, 100);
    }
    expect(await handle).toMatchObject({ text: 'again: more', turnCount: 2 });
    expect(parks()).toBe(1);
  });

  it('stays open between turns if interactive, until it is ended', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench.client(daemon).run({ ...options, interactive: true });
    await next(handle, 'turn_end');
    await handle.send('more');
    await next(handle, 'turn_end');
    expect(daemon.calls.filter((call) => call.endsWith('/park'))).toEqual([]);
    expect(await handle.end()).toMatchObject({ text: 'again: more', turnCount: 2 });
  });

  it('can be ended by its own reader within its loop', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench.client(daemon).run({ ...options, interactive: true });
    for await (const { type } of handle) {
      if (type === 'turn_end') expect(await handle.end()).toMatchObject({ exitReason: 'completed' });
    }
  });

  it('continues with the next message after another client parked it', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench.client(daemon).run({ ...options, interactive: true });
    await next(handle, 'turn_end');
    const parked = next(handle, 'session_end');
    daemon.session.park();
    await parked;
    const second = next(handle, 'turn_end');
    await handle.send('back');
    await second;
    expect(daemon.session.row).toMatchObject({ launch: 2 });
    expect(await handle.end()).toMatchObject({ text: 'hello', sessionId: daemon.session.row.agentSessionId });
  });

  it('steers, changes model and mode, and interrupts the running turn', async () => {
    const script = live([say('ready'), { do: 'await-steer' }, say('{{steer}}'), hang], [say('next'), turnEnd]);
    const daemon = await bench.daemon(script);
    const handle = bench.client(daemon).run({ ...options, interactive: true });
    await next(handle, 'text_delta');
    await handle.setModel('bigger');
    await handle.setApprovalMode('yolo');
    const steered = next(handle, 'text_delta');
    await handle.steer('left');
    expect((await steered).delta).toBe('left');
    const ended = next(handle, 'turn_end');
    await handle.interrupt();
    expect((await ended).status).toBe('interrupted');
    await expect(handle.steer('where?')).rejects.toMatchObject({
      code: 'RUN_ENDED',
      problem: 'NO_ACTIVE_TURN',
      status: 409,
    });
    await handle.interrupt();
    const second = next(handle, 'turn_end');
    await handle.send('continue');
    await second;
    expect(await handle.end()).toMatchObject({ text: 'next' });
    expect(daemon.session.received.map(({ mode }) => mode)).toEqual(['steer', 'queue']);
  });

  it('uploads attachments as files', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench
      .client(daemon)
      .run({ ...options, attachments: [{ path: import.meta.filename, mimeType: 'text/x-ts' }] });
    await handle;
    expect(daemon.session.body.files).toEqual(['f0']);
    const { name, mimeType, content } = daemon.files.get('f0')!;
    expect([name, mimeType, content.includes('sends attachments along')]).toEqual([
      'remote-run.test.ts',
      'text/x-ts',
      true,
    ]);
    const missing = bench.client(daemon).run({ ...options, attachments: [{ path: '/nowhere/at/all' }] });
    await expect(missing.result).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('ENOENT'),
    });
  });
});

describe('run with an existing session', () => {
  const steps = live([say('{{turn}} '), turnEnd]);

  it('resumes the same session where it was', async () => {
    const daemon = await bench.daemon(steps);
    const client = bench.client(daemon);
    const { sessionId } = await client.run(options);
    const handle = client.run({ ...options, prompt: 'more', sessionId: sessionId ?? '', approvalMode: 'prompt' });
    const events = await eventsOf(handle);
    expect(events.filter(({ type }) => type === 'session_start')).toHaveLength(1);
    expect(await handle).toMatchObject({ sessionId, text: 'more ', turnCount: 1 });
    expect([handle.id, daemon.sessions.size, daemon.session.row.launch]).toEqual(['s1', 1, 2]);
  });

  it('forks the session if requested', async () => {
    const daemon = await bench.daemon(steps);
    const client = bench.client(daemon);
    const { sessionId } = await client.run(options);
    const handle = client.run({ ...options, prompt: 'other', forkSessionId: sessionId ?? '', model: 'fake-model' });
    const events = await eventsOf(handle);
    expect(events).toContainEqual(expect.objectContaining({ type: 'session_fork', fromSessionId: sessionId }));
    expect([handle.id, (await handle).text]).toEqual(['s2', 'other ']);
  });

  it('fails if the session does not exist', async () => {
    const daemon = await bench.daemon(steps);
    const handle = bench.client(daemon).run({ ...options, sessionId: 'nowhere' });
    await expect(handle.result).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('undelivered message', () => {
  const issue = { code: 'AGENT_ERROR', message: 'no space for it' };

  it('does not block the run, and readers are notified', async () => {
    const daemon = await bench.daemon(live([say('first'), turnEnd]));
    const handle = bench.client(daemon).run(options);
    const reported = next(handle, 'error');
    handle.once('turn_end', () => {
      daemon.session.send = async ({ id = '' }) => {
        daemon.session.messages = [{ id, state: 'failed', error: issue }];
        return {};
      };
      void handle.send('more');
    });
    expect(await reported).toMatchObject({ recoverable: true, message: expect.stringContaining(issue.message) });
    expect(await handle).toMatchObject({ text: 'first', exitReason: 'completed' });
  });

  it('does not block it even after the keeper accepted it', async () => {
    const daemon = await bench.daemon(live([say('first'), turnEnd]));
    const handle = bench.client(daemon).run(options);
    handle.once('turn_end', ({ agent, runId, turnIndex }) => {
      const envelope = { agent, runId, turnIndex, timestamp: 0 };
      daemon.session.send = async ({ id = '', text }) => {
        const accepted = { type: 'user_message', messageId: id, text, attachments: [], delivery: 'turn' };
        daemon.session.append({ ...accepted, ...envelope });
        const problem = { level: 'warn', code: 'message_not_delivered', message: 'gone', data: { messageId: id } };
        daemon.session.append({ type: 'debug', ...problem, ...envelope });
        return {};
      };
      void handle.send('more');
    });
    expect(await handle).toMatchObject({ text: 'first', exitReason: 'completed' });
  });
});

describe('run without stored content', () => {
  const LIFE = /"type":"(?:session_start|session_end|turn_start|turn_end|error)"/;

  it('ends as usual, also when attached', async () => {
    const daemon = await bench.daemon(
      live([say('first'), turnEnd, event({ type: 'title', title: 'late' })], [turnEnd]),
    );
    daemon.isStored = (line) => LIFE.test(line);
    const client = bench.client(daemon);
    const handle = client.run(options);
    const reading = eventsOf(handle);
    await next(handle, 'turn_end');
    await handle.send('more');
    daemon.session.messages = daemon.session.received.map(({ id }) => ({ id, state: 'completed', error: null }));
    const types = (await reading).map(({ type }) => type);
    expect(types.filter((type) => type === 'turn_end')).toHaveLength(2);
    expect(await handle).toMatchObject({ exitReason: 'completed', error: null });
    const again = client.attach('s1');
    expect((await eventsOf(again)).map(({ type }) => type)).toEqual(types);
    expect(await again).toMatchObject({ exitReason: 'completed' });
  });
});
