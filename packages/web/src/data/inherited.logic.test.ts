import { describe, expect, it } from 'vitest';
import { inheritedItems } from './inherited.logic.ts';
import type { ApprovalEvent, Item } from './items.ts';

const base = { seq: 1, time: 5 };
const request = { requestId: 'r', event: {} as ApprovalEvent, outcome: null, by: null };
const tool: Item = {
  ...{ ...base, key: '2', kind: 'tool', toolCallId: 't', name: 'Bash', server: null, toolKind: 'execute' },
  ...{ input: {}, partialInput: '', output: undefined, liveOutput: '', error: null, exitCode: null },
  ...{ status: 'running', endedAt: null, changes: [], request, subagent: null },
  children: [{ ...base, key: '3', kind: 'text', text: 'deep', isOpen: true }],
};

describe('inheritedItems', () => {
  it('marks where the conversation of each parent starts and ends', () => {
    const note: Item = { ...base, key: '1', kind: 'note', text: 'hello' };
    const items = inheritedItems(
      [
        { id: 'a', items: [note] },
        { id: 'b', items: [note] },
      ],
      9,
    );
    expect(items.map(({ key }) => key)).toEqual(['a:start', 'a:1', 'a:end', 'b:start', 'b:1', 'b:end']);
    expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
  });

  it('marks a removed parent', () => {
    expect(inheritedItems([{ id: 'a', items: null }], 9)).toMatchObject([{ kind: 'fork', position: 'removed' }]);
  });

  it('freezes items that were running or unanswered', () => {
    const requestItem: Item = { ...base, key: '4', kind: 'request', request };
    const [, frozen, past] = inheritedItems([{ id: 'a', items: [tool, requestItem] }], 9);
    expect(frozen).toMatchObject({ status: 'unfinished', request: null, children: [{ isOpen: false, key: 'a:3' }] });
    expect(past).toMatchObject({ request: { outcome: 'cancelled' } });
  });
});
