import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBody, LiveSpec, PendingApproval } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../test/folders.ts';
import { replayLive } from '../replay/live.ts';
import { createResolvedOptions } from '../replay/resolved-options.ts';
import { FakeAdapter } from './adapter.ts';
import { type FakeLiveState, fakeLiveCodec } from './live-codec.ts';
import { RunningFakeAgent, startFakeAgent } from './running.ts';
import type { Step } from './steps.ts';

const codec = fakeLiveCodec(true);
const options = createResolvedOptions({ mode: 'live', sessionId: 's-1' });
const event = (body: EventBody): Step => ({ do: 'event', event: body });
const turnEnd = event({ type: 'turn_end', status: 'completed' });
const approval: EventBody & { type: 'approval_request' } = {
  type: 'approval_request',
  requestId: 'r-{{n}}',
  toolName: 'Bash',
  title: 'Run it?',
  options: [{ id: 'yes', label: 'Yes', kind: 'allow_once' }],
};
const pending = (requestId: string): PendingApproval => ({
  kind: 'approval',
  requestId,
  toolName: 'Bash',
  options: approval.options,
});

/** A live fake agent, driven through the codec, as a driver would. */
class Conversation {
  readonly agent: RunningFakeAgent;
  readonly state: FakeLiveState = codec.open(options);

  constructor(steps: Step[]) {
    this.agent = startFakeAgent(steps);
    this.say(codec.handshake(this.state));
  }
  say(lines: string[] = []): void {
    for (const line of lines) this.agent.write(`${line}\n`);
  }
  turn(text: string): void {
    this.say(codec.turn({ text, attachments: [] }, this.state));
  }
  events(): EventBody[] {
    const context = { now: 0, turnActive: false };
    return this.agent.lines().flatMap((line) => codec.decode(line, this.state, context).events);
  }
  async end(): Promise<EventBody[]> {
    this.agent.child.stdin?.end();
    expect(await this.agent.ended).toEqual({ code: 0, signal: null });
    return this.events();
  }
}

describe('live protocol', () => {
  it('opens the session, runs a script per turn, and ends with stdin', async () => {
    const conversation = new Conversation([
      {
        do: 'live',
        turns: [
          [event({ type: 'text_delta', delta: 'first: {{turn}}' }), turnEnd],
          [event({ type: 'text_delta', delta: '{{n}}: {{turn}}' }), turnEnd],
        ],
      },
      event({ type: 'title', title: 'after stdin' }),
    ]);
    for (const text of ['a', 'b "quoted"', 'c']) conversation.turn(text);
    const events = await conversation.end();
    expect(events.filter(({ type }) => type !== 'turn_end')).toEqual([
      { type: 'session_start', sessionId: 's-1' },
      { type: 'text_delta', delta: 'first: a' },
      { type: 'text_delta', delta: '1: b "quoted"' },
      { type: 'text_delta', delta: '2: c' },
      { type: 'title', title: 'after stdin' },
    ]);
  });

  it('asks, and follows the answer', async () => {
    const ask: Step = {
      do: 'ask',
      event: approval,
      allowed: [event({ type: 'text_delta', delta: 'allowed' })],
      denied: [event({ type: 'text_delta', delta: 'denied {{answer}}' })],
    };
    const conversation = new Conversation([{ do: 'live', turns: [[ask, turnEnd]] }]);
    const answers = [
      { decision: 'allow', optionId: 'yes' },
      { decision: 'deny', message: 'no' },
    ] as const;
    for (const [n, answer] of answers.entries()) {
      conversation.turn('go');
      await conversation.agent.line((line) => line.includes(`"r-${n}"`));
      conversation.say(codec.resolve(pending(`r-${n}`), { kind: 'approval', answer }, conversation.state));
    }
    conversation.turn('go');
    await conversation.agent.line((line) => line.includes('"r-2"'));
    conversation.say(codec.resolve(pending('r-2'), { kind: 'cancelled' }, conversation.state));
    const texts = (await conversation.end()).flatMap((e) => (e.type === 'text_delta' ? e.delta : []));
    expect(texts).toEqual([
      'allowed',
      'denied {"deny":"r-1","message":"no"}',
      'denied {"deny":"r-2","message":"cancelled"}',
    ]);
  });

  it('asks questions, and accepts answers or a refusal', async () => {
    const question = { id: 'q', question: 'Which?', options: [], multiple: false };
    const conversation = new Conversation([
      {
        do: 'live',
        turns: [
          [
            {
              do: 'ask',
              event: { type: 'input_required', requestId: 'i-{{n}}', questions: [question] },
              allowed: [event({ type: 'text_delta', delta: '{{answer}}' })],
              denied: [event({ type: 'text_delta', delta: 'declined' })],
            },
          ],
        ],
      },
    ]);
    const resolve = (requestId: string, answer: { answers: Record<string, string[]> } | { declined: true }): void =>
      conversation.say(codec.resolve({ kind: 'input', requestId }, { kind: 'input', answer }, conversation.state));
    conversation.turn('one');
    resolve('i-0', { answers: { q: ['blue'] } });
    conversation.turn('two');
    resolve('i-1', { declined: true });
    const texts = (await conversation.end()).flatMap((e) => (e.type === 'text_delta' ? e.delta : []));
    expect(texts).toEqual(['{"answer":"i-0","answers":{"q":["blue"]}}', 'declined']);
  });

  it('is interrupted in a turn and runs the next one', async () => {
    const conversation = new Conversation([
      { do: 'live', turns: [[event({ type: 'text_delta', delta: 'working' }), { do: 'hang' }], [turnEnd]] },
    ]);
    conversation.turn('long');
    await conversation.agent.report('text_delta');
    conversation.say(codec.interrupt?.(conversation.state));
    await conversation.agent.report('turn_end');
    conversation.turn('next');
    expect((await conversation.end()).slice(1)).toEqual([
      { type: 'text_delta', delta: 'working' },
      { type: 'interrupted', by: 'caller' },
      { type: 'turn_end', status: 'interrupted' },
      { type: 'turn_end', status: 'completed' },
    ]);
  });

  it('may ignore an interrupt, or stop silently', async () => {
    const waiting: Step[] = [event({ type: 'text_delta', delta: '{{n}}' }), { do: 'await-steer' }, turnEnd];
    const deaf = new Conversation([{ do: 'live', turns: [waiting], onInterrupt: 'ignore' }]);
    const mute = new Conversation([{ do: 'live', turns: [waiting], onInterrupt: [] }]);
    for (const conversation of [deaf, mute]) {
      conversation.turn('x');
      await conversation.agent.report('text_delta');
      conversation.say(codec.interrupt?.(conversation.state));
      conversation.say(codec.steer?.({ text: 'continue', attachments: [] }, conversation.state));
    }
    expect((await deaf.end()).at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
    expect((await mute.end()).at(-1)).toEqual({ type: 'text_delta', delta: '0' });
  });

  it('is steered within a turn', async () => {
    const conversation = new Conversation([
      {
        do: 'live',
        turns: [
          [
            event({ type: 'text_delta', delta: 'ready' }),
            { do: 'await-steer' },
            event({ type: 'text_delta', delta: '{{steer}}' }),
          ],
        ],
      },
    ]);
    conversation.turn('x');
    await conversation.agent.report('text_delta');
    conversation.say(codec.steer?.({ text: 'left', attachments: [] }, conversation.state));
    expect((await conversation.end()).at(-1)).toEqual({ type: 'text_delta', delta: 'left' });
  });

  it('has its pings answered by the codec', async () => {
    const conversation = new Conversation([{ do: 'live', turns: [[{ do: 'ping', id: 'p1' }, turnEnd]] }]);
    conversation.turn('x');
    const ping = await conversation.agent.line((line) => line.includes('ping'));
    const context = { now: 0, turnActive: true };
    const { events, replies } = codec.decode(ping, conversation.state, context);
    expect(events).toEqual([]);
    conversation.say(replies);
    await conversation.agent.report('turn_end');
    expect((await conversation.end()).at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
  });

  it('reports a changed model and mode, also within a turn', async () => {
    const conversation = new Conversation([{ do: 'live', turns: [[{ do: 'await-steer' }]] }]);
    conversation.turn('x');
    conversation.say(codec.setModel?.('bigger', conversation.state));
    conversation.say(codec.setApprovalMode?.('yolo', conversation.state));
    const data = (await conversation.end()).flatMap((e) => (e.type === 'debug' ? e.data : []));
    expect(data).toEqual([
      { type: 'setting', model: 'bigger' },
      { type: 'setting', mode: 'yolo' },
    ]);
  });
});

describe('FakeAdapter', () => {
  it('starts a one-shot process with the prompt on stdin, and its lines are events', async () => {
    const adapter = new FakeAdapter({
      steps: [
        event({ type: 'session_start', sessionId: '{{session}}', model: '{{model}}' }),
        { do: 'read-all' },
        event({ type: 'text_delta', delta: '{{stdin}}' }),
        { do: 'line', text: 'noise' },
        { do: 'line', text: '{"type":"unheard_of"}' },
      ],
    });
    expect(adapter.capabilities).toBe(adapter.modes[0]?.capabilities);
    const spawnArgs = adapter.buildSpawnArgs(createResolvedOptions({ prompt: 'do it', sessionId: 's-9', model: 'm' }));
    const agent = new RunningFakeAgent(spawnArgs.command, spawnArgs.args);
    agent.child.stdin?.end(spawnArgs.stdin);
    await agent.ended;
    expect(agent.lines().map((line) => adapter.parseEvent(line))).toEqual([
      { type: 'session_start', sessionId: 's-9', model: 'm' },
      expect.objectContaining({ type: 'debug', code: 'fake_stdin_end', data: expect.objectContaining({ bytes: 5 }) }),
      { type: 'text_delta', delta: 'do it' },
      null,
      null,
    ]);
  });

  it('puts a script that is too long for the command line into a helper file', async () => {
    const scratchDir = newFolder();
    const text = 'y'.repeat(300_000);
    const adapter = new FakeAdapter({ steps: [{ do: 'line', text }] });
    const { command, args, files = {} } = adapter.buildSpawnArgs(createResolvedOptions({ scratchDir }));
    for (const [name, content] of Object.entries(files)) await writeFile(join(scratchDir, name), content);
    const agent = new RunningFakeAgent(command, args);
    await agent.ended;
    expect(agent.lines()).toEqual([text]);
  });

  it('is live by default if its script is, and greets only if the session comes first', () => {
    const steps: Step[] = [{ do: 'live', turns: [[]] }];
    const facets = [new FakeAdapter({ steps }), new FakeAdapter({ steps, waitForSession: false })].map(
      (adapter) => adapter.modes[0]?.live,
    );
    expect(facets.map((live) => live?.waitForSession)).toEqual([true, false]);
    expect(facets.map(greetings)).toEqual([1, 0]);
    expect(new FakeAdapter({ steps }).buildSpawnArgs(options).stdin).toBeUndefined();
    expect(new FakeAdapter({ steps, mode: 'oneshot' }).modes.map((mode) => mode.name)).toEqual(['oneshot', 'live']);
  });

  it('removes capabilities in both modes', () => {
    const adapter = new FakeAdapter({ steps: [], capabilities: { canFork: false } });
    expect(adapter.modes.map((mode) => mode.capabilities.canFork)).toEqual([false, false]);
  });

  it('reports its version in a separate process', async () => {
    const adapter = new FakeAdapter({ steps: [], versionSteps: [{ do: 'line', text: 'fake 1.2.3' }] });
    expect(adapter.needsNoInstall).toBe(false);
    const agent = new RunningFakeAgent(adapter.cliCommand, adapter.versionArgs ?? []);
    await agent.ended;
    expect(agent.lines()).toEqual(['fake 1.2.3']);
  });
});

function greetings(live: LiveSpec | undefined): number {
  return live?.transport === 'stdio' ? replayLive(live.codec, []).sent.length : -1;
}
