import { describe, expect, it } from 'vitest';
import { inheritedItems } from './inherited.logic.ts';
import type { ApprovalEvent, Item } from './items.ts';

const base = { seq: 1, time: 5 };
const asked = { requestId: 'r', event: {} as ApprovalEvent, outcome: null, by: null };
const tool: Item = {
  ...{ ...base, key: '2', kind: 'tool', toolCallId: 't', name: 'Bash', server: null, toolKind: 'execute' },
  ...{ input: {}, partialInput: '', output: undefined, liveOutput: '', error: null, exitCode: null },
  ...{ status: 'running', endedAt: null, changes: [], asked, subagent: null },
  children: [{ ...base, key: '3', kind: 'text', text: 'deep', isOpen: true }],
};

describe('inheritedItems', () => {
  it('marks where the conversation of each parent starts and ends', () => {
    const said: Item = { ...base, key: '1', kind: 'note', text: 'hello' };
    const items = inheritedItems(
      [
        { id: 'a', items: [said] },
        { id: 'b', items: [said] },
      ],
      9,
    );
    expect(items.map(({ key }) => key)).toEqual(['a:start', 'a:1', 'a:end', 'b:start', 'b:1', 'b:end']);
    expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
  });

  it('says that a parent was removed', () => {
    expect(inheritedItems([{ id: 'a', items: null }], 9)).toMatchObject([{ kind: 'fork', position: 'removed' }]);
  });

  it('shows nothing that grows or waits for an answer', () => {
    const request: Item = { ...base, key: '4', kind: 'request', asked };
    const [, frozen, past] = inheritedItems([{ id: 'a', items: [tool, request] }], 9);
    expect(frozen).toMatchObject({ status: 'unfinished', asked: null, children: [{ isOpen: false, key: 'a:3' }] });
    expect(past).toMatchObject({ asked: { outcome: 'cancelled' } });
  });
});
