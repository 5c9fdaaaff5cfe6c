import type { AgentAdapter, EventBody, ParseContext, ResolvedRunOptions } from '@agent-mux/core';
import { toLines } from './lines.ts';
import { createParseContext, createResolvedOptions, REPLAY_NOW } from './resolved-options.ts';

export interface ReplayOneshotOptions {
  options?: Partial<ResolvedRunOptions>;
  /** Lines of stderr; decoded after those of stdout. */
  stderr?: Uint8Array | string | readonly string[];
  /** Default: code 0. */
  exit?: { code: number | null; signal: string | null };
  /** Epoch milliseconds of the n-th line; default always the same. */
  now?: (lineIndex: number) => number;
  debug?: boolean;
  outputFormat?: ParseContext['outputFormat'];
  /** Takes the adapter's state through JSON after every line, as a store would. */
  storeState?: boolean;
}

/** Recorded output of a one-shot process through its adapter, as the engine would feed it: same context, same order. */
export function replayOneshot(
  adapter: Pick<AgentAdapter, 'agent' | 'parseEvent' | 'parseEnd'>,
  output: Uint8Array | string | readonly string[],
  replay: ReplayOneshotOptions = {},
): EventBody[] {
  const now = replay.now ?? (() => REPLAY_NOW);
  const context = createParseContext({
    agent: adapter.agent,
    options: createResolvedOptions({ agent: adapter.agent, ...replay.options }),
    debug: replay.debug ?? false,
    outputFormat: replay.outputFormat ?? 'jsonl',
    now: now(0),
  });
  const events: EventBody[] = [];
  const take = (decoded: EventBody | EventBody[] | null): void => {
    for (const event of decoded === null ? [] : [decoded].flat()) {
      events.push(event);
      noteEvent(event, context);
    }
    if (replay.storeState) context.adapterState = JSON.parse(JSON.stringify(context.adapterState));
  };
  let index = 0;
  for (const source of ['stdout', 'stderr'] as const) {
    const given = source === 'stdout' ? output : (replay.stderr ?? []);
    context.source = source;
    for (const line of typeof given === 'string' || given instanceof Uint8Array ? toLines(given) : given) {
      context.now = now(index++);
      take(adapter.parseEvent(line, context));
    }
  }
  context.source = 'stdout';
  if (adapter.parseEnd) take(adapter.parseEnd(context, replay.exit ?? { code: 0, signal: null }));
  return events;
}

function noteEvent(event: EventBody, context: ParseContext): void {
  context.eventCount++;
  context.lastEventType = event.type;
  if (event.type === 'session_start' && event.sessionId !== undefined) context.sessionId = event.sessionId;
}
