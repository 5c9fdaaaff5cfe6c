import { readFileSync } from 'node:fs';
import type { SessionEvent } from '@agent-mux/api/browser';
import { describe, expect, test } from 'vitest';
import type { Item, ToolItem } from './items.ts';
import { EMPTY_CONVERSATION, takeEvents } from './session.logic.ts';

/** What the demo agent really told, by the daemon's own journal. */
function recorded(name: string): SessionEvent[] {
  const text = readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

type Body = SessionEvent extends infer Each
  ? Each extends SessionEvent
    ? Omit<Each, 'seq' | 'timestamp' | 'agent' | 'runId' | 'turnIndex'>
    : never
  : never;

/** Events of a made-up session, a second apart. */
function told(...bodies: Body[]): SessionEvent[] {
  return bodies.map((body, seq) => ({
    agent: 'fake',
    runId: 'run',
    turnIndex: 0,
    seq,
    timestamp: 1000 * seq,
    ...body,
  })) as SessionEvent[];
}

const all = (events: readonly SessionEvent[]) => takeEvents(EMPTY_CONVERSATION, events);
const oneByOne = (events: readonly SessionEvent[]) =>
  events.reduce((conversation, event) => takeEvents(conversation, [event]), EMPTY_CONVERSATION);
const toolsOf = (items: readonly Item[]) => items.filter((item): item is ToolItem => item.kind === 'tool');

describe('what was recorded', () => {
  test('a tour is what was said, thought, planned and done, in order', () => {
    const { items, plan, isTurnRunning } = all(recorded('tour'));
    expect(items.map(({ kind }) => kind)).toEqual([
      'user',
      'thinking',
      'plan',
      'text',
      'tool',
      'text',
      'tool',
      'text',
      'turn',
    ]);
    expect(items[0]).toMatchObject({ text: 'Take me on a tour', delivery: 'turn' });
    expect(plan?.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    expect(isTurnRunning).toBe(false);
    const [list, write] = toolsOf(items);
    expect(list).toMatchObject({ name: 'list_folder', status: 'done', asked: null });
    expect(write).toMatchObject({
      name: 'write_file',
      toolKind: 'edit',
      status: 'done',
      asked: { outcome: 'allowed', by: 'caller' },
      changes: [{ change: 'create', path: '/home/user/project/agent-mux-demo/hello.txt' }],
    });
  });

  test('a tool that was not allowed is shown as denied, with its request', () => {
    const [tool] = toolsOf(all(recorded('denied')).items);
    expect(tool).toMatchObject({ status: 'denied', asked: { outcome: 'denied' } });
  });

  test('a question stands where it was asked, with its outcome', () => {
    const { items } = all(recorded('question'));
    expect(items.find(({ kind }) => kind === 'request')).toMatchObject({ asked: { outcome: 'answered' } });
  });

  test('a limit is told with what to do', () => {
    const { items } = all(recorded('limit'));
    expect(items.find(({ kind }) => kind === 'trouble')).toMatchObject({ tone: 'warning', title: 'limit reached' });
    expect(items.at(-1)).toMatchObject({ kind: 'turn', status: 'failed' });
  });

  test.each(['tour', 'denied', 'question', 'limit'])('live is the same as replayed: %s', (name) => {
    const events = recorded(name);
    expect(oneByOne(events)).toEqual(all(events));
  });

  test('what comes twice changes nothing', () => {
    const events = recorded('tour');
    const once = all(events);
    expect(takeEvents(once, events.slice(-20))).toBe(once);
    const half = all(events.slice(0, 40));
    expect(takeEvents(half, events)).toEqual(once);
  });
});

describe('what belongs together', () => {
  test('what a subagent says and does is within the call that started it', () => {
    const { items } = all(
      told(
        { type: 'tool_call_ready', toolCallId: 'task', toolName: 'Task', kind: 'other', input: {} },
        { type: 'subagent_start', subagentId: 's', toolCallId: 'task', name: 'explorer' },
        { type: 'text_delta', delta: 'I ', parentToolCallId: 'task' },
        { type: 'text_delta', delta: 'mine', parentToolCallId: '' },
        { type: 'text_delta', delta: 'look', parentToolCallId: 'task' },
        {
          type: 'tool_call_ready',
          toolCallId: 'in',
          toolName: 'Read',
          kind: 'read',
          input: {},
          parentToolCallId: 'task',
        },
        {
          type: 'tool_result',
          toolCallId: 'in',
          toolName: 'Read',
          kind: 'read',
          output: 'x',
          parentToolCallId: 'task',
        },
        { type: 'subagent_end', subagentId: 's', toolCallId: 'task', status: 'completed', summary: 'found it' },
        { type: 'tool_result', toolCallId: 'task', toolName: 'Task', kind: 'other', output: 'ok' },
      ),
    );
    expect(items.map(({ kind }) => kind)).toEqual(['tool', 'text']);
    const [task] = toolsOf(items);
    expect(task).toMatchObject({
      status: 'done',
      subagent: { name: 'explorer', status: 'completed', summary: 'found it' },
    });
    expect(task?.children).toMatchObject([
      { kind: 'text', text: 'I look' },
      { kind: 'tool', name: 'Read', status: 'done', output: 'x' },
    ]);
  });

  test('input and output grow while they come', () => {
    const begun = told(
      { type: 'tool_call_start', toolCallId: 'a', toolName: 'Bash', kind: 'execute' },
      { type: 'tool_input_delta', toolCallId: 'a', delta: '{"command":' },
      { type: 'tool_input_delta', toolCallId: 'a', delta: '"ls"' },
    );
    expect(toolsOf(all(begun).items)[0]).toMatchObject({ partialInput: '{"command":"ls"', status: 'running' });
  });

  test('what a process leaves open when it goes is not shown as running', () => {
    const { items, isTurnRunning } = all(
      told(
        { type: 'turn_start', origin: 'user' },
        { type: 'tool_call_ready', toolCallId: 'a', toolName: 'Bash', kind: 'execute', input: {} },
        {
          type: 'approval_request',
          requestId: 'r',
          toolName: 'Bash',
          title: 'Run',
          toolCallId: 'a',
          kind: 'execute',
          options: [],
        },
        { type: 'keeper_lost', message: 'gone', unknownMessages: [] },
      ),
    );
    expect(toolsOf(items)[0]).toMatchObject({ status: 'unfinished', asked: { outcome: 'cancelled' } });
    expect(items.at(-1)).toMatchObject({ kind: 'trouble', title: 'the process is gone' });
    expect(isTurnRunning).toBe(false);
  });

  test('a turn has what it cost: pieces are added, totals are not', () => {
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: null, cacheCreationTokens: null, totalTokens: 2 };
    const { items } = all(
      told(
        { type: 'turn_start', origin: 'user' },
        { type: 'cost', usage, costUsd: 1, scope: 'session', source: 'reported' },
        { type: 'cost', usage, costUsd: 3, scope: 'session', source: 'reported' },
        { type: 'turn_end', status: 'completed' },
        { type: 'turn_start', origin: 'user' },
        { type: 'cost', usage, costUsd: 3.5, scope: 'session', source: 'reported' },
        { type: 'turn_end', status: 'completed' },
        { type: 'turn_start', origin: 'user' },
        { type: 'turn_end', status: 'completed' },
      ),
    );
    expect(items.map((item) => item.kind === 'turn' && item.costUsd)).toEqual([3, 0.5, null]);
  });
});

describe('what it costs to show it', () => {
  test('what did not change is the same object', () => {
    const events = recorded('tour');
    const before = all(events.slice(0, -5));
    const after = takeEvents(before, events.slice(-5));
    expect(after.items[0]).toBe(before.items[0]);
    expect(after.items[4]).toBe(before.items[4]);
  });

  test('a conversation that was shown is never changed by what follows', () => {
    const events = recorded('tour');
    const before = all(events.slice(0, 30));
    const copy = structuredClone(before.items);
    takeEvents(before, events.slice(30));
    expect(before.items).toEqual(copy);
  });

  test('a hundred thousand events, and further ones in small batches, are all taken', () => {
    const turn: Body[] = [
      { type: 'turn_start', origin: 'user' },
      ...Array.from({ length: 6 }, (): Body => ({ type: 'text_delta', delta: 'word ' })),
      { type: 'message_stop' },
      { type: 'tool_call_ready', toolCallId: 't', toolName: 'Bash', kind: 'execute', input: {} },
      { type: 'tool_result', toolCallId: 't', toolName: 'Bash', kind: 'execute', output: 'x' },
      { type: 'turn_end', status: 'completed' },
    ];
    const events = told(...Array.from({ length: 9_100 }, () => turn).flat());
    let conversation = all(events.slice(0, -1000));
    for (let at = events.length - 1000; at < events.length; at += 5)
      conversation = takeEvents(conversation, events.slice(at, at + 5));
    expect(conversation.items).toHaveLength(9_100 * 3);
  });
});
