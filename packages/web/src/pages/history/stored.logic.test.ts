import { expect, test } from 'vitest';
import { addressOf, branchesOf, itemsOf, kindOf, messagesOf, nameOf, tellProblems } from './stored.logic.ts';

test('messages become the items of a conversation: said, thought, called, answered, in their order', () => {
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

test('where the order was stored, it is kept', () => {
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

test('the name of a tool tells its kind, where it can', () => {
  expect(['Bash', 'write_file', 'Grep', 'WebFetch', 'mcp__x__read', 'Read', 'Zap'].map(kindOf)).toEqual([
    ...['execute', 'edit', 'search', 'fetch', 'mcp', 'read', 'other'],
  ]);
});

test('what is empty is not drawn', () => {
  expect(
    itemsOf([
      { role: 'user', text: ' ' },
      { role: 'assistant', text: '', thinking: '\n' },
    ]),
  ).toEqual([]);
});

test('a session is called by its title, else by its first words on one line, else by its id', () => {
  expect(nameOf({ title: 'T', firstPrompt: 'p', sessionId: 'i' })).toBe('T');
  expect(nameOf({ firstPrompt: 'fix\nthe   bug', sessionId: 'i' })).toBe('fix the bug');
  expect(nameOf({ firstPrompt: ' ', sessionId: 'i' })).toBe('i');
  expect(nameOf({ title: 'x'.repeat(500), sessionId: 'i' })).toHaveLength(160);
});

test('an id with a slash stays one part of the address', () => {
  expect(addressOf({ agent: 'a b', sessionId: 'x/y?z' })).toBe('/history/a%20b/x%2Fy%3Fz');
});

test('a problem that is told twice is said once', () => {
  const problem = { agent: 'codex', path: '/x', problem: 'cannot be read' };
  expect(tellProblems([problem, problem, { path: '/y', problem: 'is torn' }])).toEqual([
    'codex: cannot be read (/x)',
    'unknown agent: is torn (/y)',
  ]);
});

test('the branches of a tree are told apart by what was said last, the one that goes on first', () => {
  const say = (text: string) => ({ role: 'user' as const, text });
  const branches = [
    { id: 'x', active: false, messages: [say('first'), say('the other\nway')] },
    { id: 'y', active: true, messages: [say('first')] },
  ];
  const stored = { agent: 'pi', sessionId: 's', messages: [say('first')], branches };
  expect(branchesOf(stored)).toEqual([
    { id: 'y', label: '1. goes on: first (1 message)' },
    { id: 'x', label: '2. the other way (2 messages)' },
  ]);
  expect(messagesOf(stored, 'x')).toHaveLength(2);
  expect(messagesOf(stored, 'gone')).toBe(stored.messages);
  expect(branchesOf({ branches: branches.slice(1) })).toEqual([]);
});

test('what was found by its words is opened at them', () => {
  const found = { agent: 'demo', sessionId: 'x y' };
  expect(addressOf(found)).toBe('/history/demo/x%20y');
  const snippet = [
    { text: '…say ', match: false },
    { text: 'Hello', match: true },
    { text: ' ', match: false },
    { text: 'there', match: true },
    { text: ' and more', match: false },
  ];
  const query = new URLSearchParams(addressOf({ ...found, snippet }).split('?')[1]);
  expect(Object.fromEntries(query)).toEqual({ find: 'Hello there', near: '…say Hello there and more' });
});
