import type { AgentEvent } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { paint } from '../../screen/paint.ts';
import { widthOf } from '../../screen/width.ts';
import { type Doing, nextDoing, startDoing, waitingRow } from './status-line.ts';

const envelope = { agent: 'acme', runId: 'r', turnIndex: 0, seq: 0, timestamp: 0 };
const plain = paint({});

/** The row after these events, one second apart. */
function after(events: readonly AgentEvent[], waitedMs = 3000, columns = 100): string {
  let doing: Doing | undefined = startDoing('Acme', 0);
  events.forEach((event, index) => {
    doing = nextDoing(doing, { ...event, timestamp: index * 1000 }, 'Acme');
  });
  const now = Math.max(0, events.length - 1) * 1000 + waitedMs;
  return doing ? waitingRow(doing, now, columns, plain).slice(2) : '';
}
const turn: AgentEvent = { ...envelope, type: 'turn_start', origin: 'user' };
const ready = (toolCallId: string, toolName: string, input: unknown): AgentEvent => ({
  ...envelope,
  type: 'tool_call_ready',
  toolCallId,
  toolName,
  kind: 'other',
  input,
});

describe('status line', () => {
  it('shows the current activity and its duration', () => {
    expect(after([])).toBe('Acme is starting · 3 s · Ctrl-C interrupts');
    expect(after([turn], 65_000)).toBe('Acme is thinking · 1 min 5 s · Ctrl-C interrupts');
    expect(after([turn, ready('a', 'bash', { command: 'npm test' })])).toMatch(/^running npm test · 3 s/);
    expect(after([turn, ready('a', 'write_file', { path: 'a.txt' })])).toMatch(/^running write_file a.txt · 3 s/);
  });

  it('counts running tools and continues with the remaining ones', () => {
    const both = [turn, ready('a', 'bash', { command: 'one' }), ready('b', 'bash', { command: 'two' })];
    expect(after(both)).toMatch(/^running two and 1 more · 3 s/);
    const done: AgentEvent = {
      ...envelope,
      type: 'tool_result',
      toolCallId: 'b',
      toolName: 'bash',
      kind: 'execute',
      output: '',
    };
    expect(after([...both, done])).toMatch(/^running one · 3 s/);
    expect(after([...both, done, { ...done, toolCallId: 'a' }])).toMatch(/^Acme is thinking/);
  });

  it('counts down to a retry', () => {
    const retry: AgentEvent = {
      ...envelope,
      type: 'retry',
      attempt: 1,
      delayMs: 30_000,
      reason: 'limit',
      by: 'engine',
    };
    expect(after([turn, retry], 2000)).toMatch(/^retrying in 28 s/);
    expect(after([turn, retry], 40_000)).toMatch(/^retrying in 0 s/);
  });

  it('fits any terminal and contains no cursor movement', () => {
    const events = [turn, ready('a', 'bash', { command: `echo 漢字漢字漢字漢字漢字 ${'x'.repeat(500)}\x1b[2J` })];
    for (const columns of [20, 40, 80, 200]) {
      const row = after(events, 3000, columns);
      expect(widthOf(row) + 2).toBeLessThan(columns);
      expect(row).toContain('3 s');
      expect(row).not.toContain('\x1b');
    }
  });
});
