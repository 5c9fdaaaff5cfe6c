import { expect, test } from 'vitest';
import { branchesOf, itemsOf, kindOf, messagesOf, nameOf, pathOf, problemsText } from './stored.logic.ts';

test('converts messages to conversation items in order', () => {
  const items = itemsOf([
    { role: 'user', text: 'do it' },
    {
      role: 'assistant',
      text: 'done',
      thinking: 'hm',
      toolCalls: [
        { toolCallId: 'a', toolName: 'Bash', input: { command: 'ls' }, output: 'x' },
        { toolCallId: 'b', toolName: 'Bash', output: 'no', isError: true },
        { toolCallId: 'c', toolName: 'Read' },
      ],
    },
  ]);
  expect(items.map((item) => (item.kind === 'tool' ? `${item.name} ${item.status}` : item.kind))).toEqual([
    'user',
    'thinking',
    'text',
    'Bash done',
    'Bash failed',
    'Read unfinished',
  ]);
  expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
});

test('keeps a stored order of parts', () => {
  const items = itemsOf([
    {
      role: 'assistant',
      text: 'before after',
      toolCalls: [{ toolCallId: 'a', toolName: 'Read', output: '' }],
      parts: [
        { type: 'text', text: 'before' },
        { type: 'tool', toolCallId: 'a' },
        { type: 'text', text: 'after' },
        { type: 'what is this' },
      ],
    },
  ]);
  expect(items.map((item) => (item.kind === 'text' ? item.text : item.kind))).toEqual(['before', 'tool', 'after']);
});

test('infers the kind of a tool from its name', () => {
  expect(['Bash', 'write_file', 'Grep', 'WebFetch', 'mcp__x__read', 'Read', 'Zap'].map(kindOf)).toEqual([
    ...['execute', 'edit', 'search', 'fetch', 'mcp', 'read', 'other'],
  ]);
});

test('omits empty messages', () => {
  expect(
    itemsOf([
      { role: 'user', text: ' ' },
      { role: 'assistant', text: '', thinking: '\n' },
    ]),
  ).toEqual([]);
});

test('names a session by title, first prompt or id', () => {
  expect(nameOf({ title: 'T', firstPrompt: 'p', agentSessionId: 'i' })).toBe('T');
  expect(nameOf({ firstPrompt: 'fix\nthe   bug', agentSessionId: 'i' })).toBe('fix the bug');
  expect(nameOf({ firstPrompt: ' ', agentSessionId: 'i' })).toBe('i');
  expect(nameOf({ title: 'x'.repeat(500), agentSessionId: 'i' })).toHaveLength(160);
});

test('keeps an id with a slash in one path segment', () => {
  expect(pathOf({ agent: 'a b', agentSessionId: 'x/y?z' })).toBe('/history/a%20b/x%2Fy%3Fz');
});

test('lists duplicate problems once', () => {
  const problem = { agent: 'codex', path: '/x', problem: 'cannot be read' };
  expect(problemsText([problem, problem, { path: '/y', problem: 'is torn' }])).toEqual([
    'codex: cannot be read (/x)',
    'unknown agent: is torn (/y)',
  ]);
});

test('labels branches by their last prompt, the active one first', () => {
  const message = (text: string) => ({ role: 'user' as const, text });
  const branches = [
    { id: 'x', active: false, messages: [message('first'), message('the other\nway')] },
    { id: 'y', active: true, messages: [message('first')] },
  ];
  const stored = { agent: 'pi', agentSessionId: 's', messages: [message('first')], branches };
  expect(branchesOf(stored)).toEqual([
    { id: 'y', label: '1. active: first (1 message)' },
    { id: 'x', label: '2. the other way (2 messages)' },
  ]);
  expect(messagesOf(stored, 'x')).toHaveLength(2);
  expect(messagesOf(stored, 'gone')).toBe(stored.messages);
  expect(branchesOf({ branches: branches.slice(1) })).toEqual([]);
});

test('links a search result to its matching text', () => {
  const found = { agent: 'demo', agentSessionId: 'x y' };
  expect(pathOf(found)).toBe('/history/demo/x%20y');
  const snippet = [
    { text: '…say ', match: false },
    { text: 'Hello', match: true },
    { text: ' ', match: false },
    { text: 'there', match: true },
    { text: ' and more', match: false },
  ];
  const query = new URLSearchParams(pathOf({ ...found, snippet }).split('?')[1]);
  expect(Object.fromEntries(query)).toEqual({ find: 'Hello there', near: '…say Hello there and more' });
});
