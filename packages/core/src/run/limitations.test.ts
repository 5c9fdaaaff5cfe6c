import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, eventsOf, live, next, text, turnEnd, typed, useBench } from '../../test/engine.ts';
import type { AgentEvent } from '../contract/events.ts';
import { LIMITATIONS, type Limitation } from '../contract/limitations.ts';

const bench = useBench();
const ALL = Object.keys(LIMITATIONS) as Limitation[];
const ran = (toolCallId: string, output: string): Step[] => [
  event({ type: 'tool_call_start', toolCallId, toolName: 'shell' }),
  event({ type: 'tool_result', toolCallId, toolName: 'shell', output }),
];
const warnings = (events: readonly AgentEvent[]) =>
  typed(events, 'debug').flatMap(({ level, code }) =>
    level === 'warn' && code?.match(/hidden|forgotten/) ? [code] : [],
  );

describe('declared limitation', () => {
  it('warns after the first tool without output', async () => {
    const steps = live([...ran('a', ''), ...ran('b', ''), turnEnd]);
    const warned = warnings(await eventsOf(bench.fake(steps, { limitations: ALL }).run()));
    expect(warned).toEqual(['tool_output_hidden', 'tool_failure_hidden']);
    expect(warnings(await eventsOf(bench.fake(steps).run()))).toEqual([]);
  });

  it('does not warn of hidden output if the agent reports some', async () => {
    const steps = live([...ran('a', 'some'), turnEnd]);
    const warned = warnings(await eventsOf(bench.fake(steps, { limitations: ALL }).run()));
    expect(warned).toEqual(['tool_failure_hidden']);
  });

  it('warns at every interrupted turn', async () => {
    const hang: Step = { do: 'hang' };
    const { run } = bench.fake(live([text('one'), hang], [text('two'), turnEnd]), { limitations: ALL });
    const handle = run();
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    await handle.interrupt();
    await handle.send('continue');
    await handle;
    expect(warnings(await reading)).toEqual(['interrupted_turn_forgotten']);
  });
});
