import { setTimeout as delay } from 'node:timers/promises';
import { assertEventOrder, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import {
  event,
  eventsOf,
  live,
  next,
  reports,
  sessionStart,
  text,
  turnEnd,
  typed,
  useBench,
} from '../../../test/engine.ts';
import type { AgentEvent } from '../../contract/events.ts';

const bench = useBench();
/** Repeats its prompt, in either mode. */
const parrots: Record<'live' | 'oneshot', Step[]> = {
  live: live([{ do: 'describe' }, text('you texts {{turn}}'), turnEnd]),
  oneshot: [{ do: 'read-all' }, { do: 'describe' }, sessionStart, text('you texts {{stdin}}'), turnEnd],
};

describe.each(['live', 'oneshot'] as const)('turns of a %s agent', (mode) => {
  const start = (more = {}) => bench.fake(parrots[mode], { mode }).run({ prompt: 'one', ...more });

  it('can be sent by a reader that waits for a person between them', async () => {
    const handle = start();
    const events: AgentEvent[] = [];
    const texts: string[] = [];
    for await (const each of handle) {
      events.push(each);
      if (each.type !== 'turn_end') continue;
      texts.push(handle.text);
      await delay(50);
      if (texts.length < 3) await handle.send(['two', 'three'][texts.length - 1] ?? '');
    }
    assertEventOrder(events);
    expect(texts).toEqual(['you texts one', 'you texts two', 'you texts three']);
    expect(await handle).toMatchObject({ text: 'you texts three', turnCount: 3, exitReason: 'completed' });
    const processes = new Set(reports(events, 'process').map(({ pid }) => pid));
    expect(processes.size).toBe(mode === 'live' ? 1 : 3);
    expect(new Set(events.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  it('can be sent ahead and run one after another', async () => {
    const handle = start();
    await handle.send('two');
    await handle.send('three');
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'text_delta').map(({ delta, turnIndex }) => [turnIndex, delta])).toEqual([
      [0, 'you texts one'],
      [1, 'you texts two'],
      [2, 'you texts three'],
    ]);
  });

  it('can be sent by a listener', async () => {
    const handle = start();
    handle.once('turn_end', () => void handle.send('two'));
    expect(await handle).toMatchObject({ text: 'you texts two', turnCount: 2 });
  });

  it('can be sent at any time in an interactive run until it is ended', async () => {
    const handle = start({ interactive: true });
    const reading = eventsOf(handle);
    await next(handle, 'turn_end');
    await delay(100);
    await handle.send('two');
    await next(handle, 'turn_end');
    await delay(100);
    expect(await handle.end()).toMatchObject({ text: 'you texts two', turnCount: 2, exitReason: 'completed' });
    assertEventOrder(await reading);
    await expect(handle.send('three')).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('all run before end() resolves', async () => {
    const handle = start({ interactive: true });
    await handle.send('two');
    expect(await handle.end()).toMatchObject({ text: 'you texts two', turnCount: 2 });
  });

  it('can be ended by the reader itself', async () => {
    const handle = start({ interactive: true });
    let ended: unknown;
    for await (const each of handle) if (each.type === 'turn_end') ended = await handle.end();
    expect(ended).toMatchObject({ exitReason: 'completed' });
  });

  it('end if no one reads or sends', async () => {
    expect(await start()).toMatchObject({ turnCount: 1, exitReason: 'completed', exitCode: 0 });
  });
});

describe('single turn', () => {
  it('is refused if it is empty or its attachment does not exist', async () => {
    const handle = bench.fake(parrots.live).run({ interactive: true });
    await expect(handle.send('  ')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(handle.send('look', { attachments: [{ path: '/nonexistent.png' }] })).rejects.toMatchObject({
      issues: [{ field: 'attachments[0]' }],
    });
    await handle.end();
  });

  it('is refused, not truncated, if its attachment is unsupported', async () => {
    const capabilities = { supportsFileAttachments: false, supportsImageInput: false };
    const handle = bench.fake(parrots.live, { capabilities }).run({ interactive: true });
    const attachments = [{ path: import.meta.filename }];
    await expect(handle.send('look', { attachments })).rejects.toMatchObject({ code: 'CAPABILITY_ERROR' });
    await handle.end();
  });

  it('is refused as a second one if the agent supports only one', async () => {
    const handle = bench.fake([sessionStart, text('one')], { capabilities: { supportsMultiTurn: false } }).run();
    await expect(handle.send('two')).rejects.toMatchObject({ code: 'CAPABILITY_ERROR', option: 'send' });
    expect(await handle).toMatchObject({ turnCount: 1 });
  });

  it('is reported if it was not sent before the run ended', async () => {
    const handle = bench.fake(live([text('one'), { do: 'exit', code: 1 }])).run();
    await handle.send('two');
    const events = await eventsOf(handle);
    expect(events.filter((each) => each.type === 'debug' && each.code === 'turns_not_sent')).toHaveLength(1);
  });

  it('fails the run, not the stream, if its process cannot be planned', async () => {
    const { run, adapter } = bench.fake([sessionStart, text('one'), turnEnd]);
    const build = adapter.buildSpawnArgs.bind(adapter);
    let calls = 0;
    adapter.buildSpawnArgs = (options) => {
      if (++calls > 1) throw new Error('no more');
      return build(options);
    };
    const handle = run();
    await handle.send('two');
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(await handle).toMatchObject({
      exitReason: 'failed',
      error: { code: 'ADAPTER_ERROR', message: expect.stringContaining('no more') },
    });
  });
});

describe('live agent', () => {
  it('can be steered only within a turn', async () => {
    const handle = bench.fake(live([text('one '), { do: 'await-steer' }, text('{{steer}}'), turnEnd])).run({
      interactive: true,
    });
    await expect(handle.steer('too early')).rejects.toThrow(/no turn is running/);
    await next(handle, 'text_delta');
    await handle.steer('to the left');
    await next(handle, 'turn_end');
    await expect(handle.steer('too late')).rejects.toThrow(/no turn is running/);
    expect(await handle.end()).toMatchObject({ text: 'one to the left' });
  });

  it('can change its model and approval mode', async () => {
    const handle = bench.fake(live([{ do: 'await-steer' }, text('{{model}} {{mode}}'), turnEnd])).run();
    const reading = eventsOf(handle);
    await next(handle, 'turn_start');
    await handle.setModel('other-model');
    await handle.setApprovalMode('plan');
    await handle.steer('go');
    expect(await handle).toMatchObject({ text: 'other-model plan' });
    expect(reports(await reading, 'setting')).toMatchObject([{ model: 'other-model' }, { mode: 'plan' }]);
  });

  it('starts with values set before it ran', async () => {
    const handle = bench.fake(live([text('{{model}} {{mode}}'), turnEnd])).run();
    await handle.setModel('early-model');
    await handle.setApprovalMode('yolo');
    expect(await handle).toMatchObject({ text: 'early-model yolo' });
  });

  it.each([
    ['steer', 'supportsSteer'],
    ['interrupt', 'supportsInterrupt'],
    ['setModel', 'supportsModelSwitch'],
    ['setApprovalMode', 'supportsModeSwitch'],
  ] as const)('rejects %s() if the capability is missing', async (call, capability) => {
    const handle = bench.fake(live([text('one'), turnEnd]), { capabilities: { [capability]: false } }).run();
    const calls = {
      steer: () => handle.steer('x'),
      interrupt: () => handle.interrupt(),
      setModel: () => handle.setModel('x'),
      setApprovalMode: () => handle.setApprovalMode('yolo'),
    };
    await expect(calls[call]()).rejects.toMatchObject({ code: 'CAPABILITY_ERROR', option: call });
    await handle;
    await expect(calls[call]()).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('rejects an approval mode that it does not support', async () => {
    const handle = bench
      .fake(live([text('one'), turnEnd]), { capabilities: { approvalModes: ['prompt', 'yolo'] } })
      .run();
    await expect(handle.setApprovalMode('plan')).rejects.toThrow(/supports only prompt, yolo/);
    await handle;
  });

  it('ends immediately if its handshake fails', async () => {
    const refused = event({ type: 'error', code: 'SESSION_NOT_FOUND', message: 'no such session', recoverable: false });
    const handle = bench.fake([{ do: 'live', hello: [refused], turns: [[text('never')]] }]).run({ sessionId: 'gone' });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(await handle).toMatchObject({
      text: '',
      exitReason: 'failed',
      error: { code: 'SESSION_NOT_FOUND', message: 'no such session' },
    });
  });

  it('is not idle while a request waits for a person', async () => {
    const options = [{ id: 'y', label: 'Yes', kind: 'allow_once' as const }];
    const ask: Step = {
      do: 'ask',
      event: { type: 'approval_request', requestId: 'q', toolName: 'x', title: '', options },
    };
    const handle = bench.fake(live([ask, text('done')]), { quietMs: 800 }).run();
    await next(handle, 'approval_request');
    await delay(1500);
    handle.approve('q');
    expect(await handle).toMatchObject({ text: 'done', exitReason: 'completed', turnCount: 1 });
  });

  it('gets the end of input unless the run is interactive', async () => {
    const steps: Step[] = [{ do: 'read-all' }, sessionStart, text('{{stdin}}'), turnEnd];
    const handle = bench.fake(steps, { mode: 'live', waitForSession: false, live: { eofAfterPrompt: true } }).run();
    expect((await handle).text).toBe('{"turn":"go"}\n');
  });
});

describe.concurrent('agent with background work', () => {
  const started = event({ type: 'subagent_start', subagentId: 's' });
  const done = event({ type: 'subagent_end', subagentId: 's', status: 'completed' });

  it('is waited for and may start its own turn, also with one process per turn', async () => {
    const woken = [text('woken'), turnEnd];
    const work: Step[] = [started, text('started'), turnEnd, { do: 'wait', ms: 300 }, done, { do: 'wait', ms: 300 }];
    const handle = bench.fake([sessionStart, ...work, ...woken]).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'turn_start').map(({ origin }) => origin)).toEqual(['user', 'agent']);
    expect(await handle).toMatchObject({ text: 'woken', turnCount: 2, exitReason: 'completed' });
  });

  it('has some time to wake, then as long as its turn takes', async () => {
    const wait = (ms: number): Step => ({ do: 'wait', ms });
    const woken = [text('woken '), wait(3500), text('and done'), turnEnd];
    const handle = bench.fake(live([started, text('started'), turnEnd, wait(2600), done, wait(1000), ...woken])).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'turn_end').map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(await handle).toMatchObject({ text: 'woken and done', turnCount: 2, exitReason: 'completed' });
  });

  it('is subject to the inactivity timeout if it never reports back', async () => {
    const handle = bench.fake(live([started, text('started'), turnEnd])).run({ inactivityTimeout: 4000 });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(await handle).toMatchObject({ exitReason: 'inactivity', text: 'started' });
  });

  it('is not waited for after end()', async () => {
    const handle = bench.fake(live([started, text('started'), turnEnd])).run();
    await next(handle, 'turn_end');
    const result = await handle.end();
    expect(result).toMatchObject({ exitReason: 'completed' });
    expect(result.durationMs).toBeLessThan(3000);
  });
});
