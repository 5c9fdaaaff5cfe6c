import type { EventBody, ParseContext } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { FakeAdapter } from '../fake-agent/adapter.ts';
import { startFakeAgent } from '../fake-agent/running.ts';
import type { Step } from '../fake-agent/steps.ts';
import { assertDeterministic } from './determinism.ts';
import { replayOneshot } from './oneshot.ts';
import { REPLAY_NOW } from './resolved-options.ts';

type Seen = Pick<ParseContext, 'source' | 'sessionId' | 'eventCount' | 'lastEventType' | 'now' | 'turnIndex'>;

/** Records the context of each line; `s:<id>` starts a session, `2:` gives two events, anything else none. */
function watcher(): { adapter: Parameters<typeof replayOneshot>[0]; seen: Seen[]; lines: string[] } {
  const seen: Seen[] = [];
  const lines: string[] = [];
  const note = ({ source, sessionId, eventCount, lastEventType, now, turnIndex }: ParseContext): void => {
    seen.push({ source, sessionId, eventCount, lastEventType, now, turnIndex });
  };
  return {
    seen,
    lines,
    adapter: {
      agent: 'watcher',
      parseEvent(line, context) {
        note(context);
        lines.push(line);
        context.adapterState.lines = Number(context.adapterState.lines ?? 0) + 1;
        if (line.startsWith('s:')) return { type: 'session_start', sessionId: line.slice(2) };
        if (line.startsWith('2:')) return [{ type: 'thinking_start' }, { type: 'text_delta', delta: line.slice(2) }];
        return null;
      },
      parseEnd(context, exit) {
        note(context);
        const message = `${exit.code} ${exit.signal} after ${context.adapterState.lines} lines of ${context.agent}`;
        return [{ type: 'error', code: 'AGENT_ERROR', message, recoverable: false }];
      },
    },
  };
}

describe('replayOneshot', () => {
  it('keeps the context as the engine does and completes at the end', () => {
    const { adapter, seen } = watcher();
    const events = replayOneshot(adapter, ['s:one', '2:hi', 'noise'], {
      stderr: 'warning\n',
      exit: { code: 3, signal: null },
      now: (index) => 1000 + index,
    });
    expect(events).toEqual([
      { type: 'session_start', sessionId: 'one' },
      { type: 'thinking_start' },
      { type: 'text_delta', delta: 'hi' },
      { type: 'error', code: 'AGENT_ERROR', message: '3 null after 4 lines of watcher', recoverable: false },
    ]);
    const common = { turnIndex: 0, source: 'stdout', sessionId: 'one' };
    expect(seen).toEqual([
      { ...common, sessionId: undefined, eventCount: 0, lastEventType: null, now: 1000 },
      { ...common, eventCount: 1, lastEventType: 'session_start', now: 1001 },
      { ...common, eventCount: 3, lastEventType: 'text_delta', now: 1002 },
      { ...common, source: 'stderr', eventCount: 3, lastEventType: 'text_delta', now: 1003 },
      { ...common, eventCount: 3, lastEventType: 'text_delta', now: 1003 },
    ]);
  });

  it('splits bytes into lines as the engine does', () => {
    const { adapter, lines, seen } = watcher();
    replayOneshot(adapter, Buffer.from('a\r\n\nb€\0\nlast'));
    expect(lines).toEqual(['a', '', 'b€\0', 'last']);
    expect(seen[0]?.now).toBe(REPLAY_NOW);
  });

  it('decodes the events of a real process from its recorded bytes', async () => {
    const said: EventBody[] = [
      { type: 'session_start', sessionId: 'x' },
      { type: 'text_delta', delta: 'grüße' },
      { type: 'turn_end', status: 'completed' },
    ];
    const steps = said.map((event): Step => ({ do: 'event', event, ending: 'crlf' }));
    const agent = startFakeAgent(steps);
    await agent.ended;
    const adapter = new FakeAdapter({ steps });
    expect(assertDeterministic((options) => replayOneshot(adapter, agent.stdout, options))).toEqual(said);
  });
});

describe('assertDeterministic', () => {
  it('rejects a decoder that remembers something outside its state', () => {
    let calls = 0;
    const adapter = { agent: 'x', parseEvent: (): EventBody => ({ type: 'text_delta', delta: `${calls++}` }) };
    expect(() => assertDeterministic((options) => replayOneshot(adapter, ['a'], options))).toThrow('second time');
  });

  it('rejects state that is not plain data', () => {
    const adapter: Parameters<typeof replayOneshot>[0] = {
      agent: 'x',
      parseEvent(line, { adapterState }) {
        const { seen } = adapterState;
        const names = seen instanceof Set ? seen : new Set<string>();
        adapterState.seen = names.add(line);
        return { type: 'text_delta', delta: `${names.size}` };
      },
    };
    expect(() => assertDeterministic((options) => replayOneshot(adapter, ['a', 'b'], options))).toThrow('survive JSON');
  });
});
