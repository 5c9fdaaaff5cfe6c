import { readFileSync } from 'node:fs';
import type { SessionEvent } from '@agent-mux/api/browser';
import { describe, expect, test } from 'vitest';
import type { Item, ToolItem } from './items.ts';
import { applyEvents, EMPTY_CONVERSATION } from './session.logic.ts';

/** Real events of the demo agent, recorded in the daemon's journal. */
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

/** Events of a synthetic session, one second apart. */
function eventsOf(...bodies: Body[]): SessionEvent[] {
  return bodies.map((body, seq) => ({
    agent: 'fake',
    runId: 'run',
    turnIndex: 0,
    seq,
    timestamp: 1000 * seq,
    ...body,
  })) as SessionEvent[];
}

const all = (events: readonly SessionEvent[]) => applyEvents(EMPTY_CONVERSATION, events);
const oneByOne = (events: readonly SessionEvent[]) =>
  events.reduce((conversation, event) => applyEvents(conversation, [event]), EMPTY_CONVERSATION);
const toolsOf = (items: readonly Item[]) => items.filter((item): item is ToolItem => item.kind === 'tool');

describe('recorded sessions', () => {
  test('shows messages, thinking, plans and tool calls of a tour in order', () => {
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
    expect(list).toMatchObject({ name: 'list_folder', status: 'done', request: null });
    expect(write).toMatchObject({
      name: 'write_file',
      toolKind: 'edit',
      status: 'done',
      request: { outcome: 'allowed', by: 'caller' },
      changes: [{ change: 'create', path: '/home/user/project/agent-mux-demo/hello.txt' }],
    });
  });

  test('shows a denied tool call with its request', () => {
    const [tool] = toolsOf(all(recorded('denied')).items);
    expect(tool).toMatchObject({ status: 'denied', request: { outcome: 'denied' } });
  });

  test('shows a question at its position with its outcome', () => {
    const { items } = all(recorded('question'));
    expect(items.find(({ kind }) => kind === 'request')).toMatchObject({ request: { outcome: 'answered' } });
  });

  test('shows a limit as a warning', () => {
    const { items } = all(recorded('limit'));
    expect(items.find(({ kind }) => kind === 'error')).toMatchObject({ tone: 'warning', title: 'limit reached' });
    expect(items.at(-1)).toMatchObject({ kind: 'turn', status: 'failed' });
  });

  test.each(['tour', 'denied', 'question', 'limit'])('yields the same items live and replayed: %s', (name) => {
    const events = recorded(name);
    expect(oneByOne(events)).toEqual(all(events));
  });

  test('ignores duplicate events', () => {
    const events = recorded('tour');
    const once = all(events);
    expect(applyEvents(once, events.slice(-20))).toBe(once);
    const half = all(events.slice(0, 40));
    expect(applyEvents(half, events)).toEqual(once);
  });
});

describe('grouping of events', () => {
  test('nests the items of a subagent in the tool call that started it', () => {
    const { items } = all(
      eventsOf(
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

  test('accumulates partial tool input', () => {
    const started = eventsOf(
      { type: 'tool_call_start', toolCallId: 'a', toolName: 'Bash', kind: 'execute' },
      { type: 'tool_input_delta', toolCallId: 'a', delta: '{"command":' },
      { type: 'tool_input_delta', toolCallId: 'a', delta: '"ls"' },
    );
    expect(toolsOf(all(started).items)[0]).toMatchObject({ partialInput: '{"command":"ls"', status: 'running' });
  });

  test('marks open tool calls as unfinished when the process is lost', () => {
    const { items, isTurnRunning } = all(
      eventsOf(
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
    expect(toolsOf(items)[0]).toMatchObject({ status: 'unfinished', request: { outcome: 'cancelled' } });
    expect(items.at(-1)).toMatchObject({ kind: 'error', title: 'the process was lost' });
    expect(isTurnRunning).toBe(false);
  });

  test('derives the cost of a turn from session totals', () => {
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: null, cacheCreationTokens: null, totalTokens: 2 };
    const { items } = all(
      eventsOf(
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

describe('identity of items', () => {
  test('keeps unchanged items identical', () => {
    const events = recorded('tour');
    const before = all(events.slice(0, -5));
    const after = applyEvents(before, events.slice(-5));
    expect(after.items[0]).toBe(before.items[0]);
    expect(after.items[4]).toBe(before.items[4]);
  });

  test('never mutates an earlier conversation', () => {
    const events = recorded('tour');
    const before = all(events.slice(0, 30));
    const copy = structuredClone(before.items);
    applyEvents(before, events.slice(30));
    expect(before.items).toEqual(copy);
  });

  test('applies a hundred thousand events and further small batches', () => {
    const turn: Body[] = [
      { type: 'turn_start', origin: 'user' },
      ...Array.from({ length: 6 }, (): Body => ({ type: 'text_delta', delta: 'word ' })),
      { type: 'message_stop' },
      { type: 'tool_call_ready', toolCallId: 't', toolName: 'Bash', kind: 'execute', input: {} },
      { type: 'tool_result', toolCallId: 't', toolName: 'Bash', kind: 'execute', output: 'x' },
      { type: 'turn_end', status: 'completed' },
    ];
    const events = eventsOf(...Array.from({ length: 9_100 }, () => turn).flat());
    let conversation = all(events.slice(0, -1000));
    for (let at = events.length - 1000; at < events.length; at += 5)
      conversation = applyEvents(conversation, events.slice(at, at + 5));
    expect(conversation.items).toHaveLength(9_100 * 3);
  });
});
