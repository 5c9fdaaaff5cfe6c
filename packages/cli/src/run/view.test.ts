import type { AgentEvent } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { Screen } from '../screen/screen.ts';
import { ToolLines } from './tool-lines.ts';
import { JsonView } from './view.ts';

const text = (seq: number): AgentEvent => ({
  type: 'text_delta',
  delta: 'x',
  agent: 'demo',
  runId: 'r',
  turnIndex: 0,
  seq,
  timestamp: 0,
});

describe('JSON view', () => {
  it('writes one line per event, and pending events in one write', async () => {
    const written: string[] = [];
    const stream = { write: () => true };
    const view = new JsonView(new ToolLines(new Screen(stream, stream)), (lines) => written.push(lines));
    for (const seq of [0, 1, 2]) view.event(text(seq));
    expect(written).toEqual([]);
    await view.flush();
    view.event(text(3));
    await view.flush();
    await view.flush();
    const lines = written.map((each) =>
      each
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as AgentEvent).seq),
    );
    expect(lines).toEqual([[0, 1, 2], [3]]);
  });
});
