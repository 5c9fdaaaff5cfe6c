import type { AgentAdapter, ParseContext } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { DriverSink } from './driver.ts';
import { MAX_LINE_BYTES } from './lines.ts';

type Source = ParseContext['source'];

/** The lines of a chunk through the adapter's decoder. Their events are told at once, or line by line where each keeps its own. */
export function decodeLines(
  adapter: AgentAdapter,
  lines: readonly string[],
  source: Source,
  context: ParseContext,
  bytes: number,
  sink: DriverSink,
): void {
  context.source = source;
  context.now = Date.now();
  const apart = context.options.includeRaw === true;
  let events: EventBody[] = [];
  for (const line of lines) {
    decodeLine(adapter, line, context, events);
    if (!apart || events.length === 0) continue;
    sink.events(events, line, bytes / lines.length);
    events = [];
  }
  if (events.length > 0) sink.events(events, undefined, bytes);
}

/** A decoder must not throw; if it does, the run goes on and says so. */
function decodeLine(adapter: AgentAdapter, line: string, context: ParseContext, events: EventBody[]): void {
  let decoded: EventBody | EventBody[] | null;
  try {
    decoded = adapter.parseEvent(line, context);
  } catch (error) {
    decoded = decodeFailure(error);
  }
  if (decoded === null) {
    if (context.debug && line !== '') events.push({ type: 'log', source: context.source, line });
  } else if (Array.isArray(decoded)) for (const body of decoded) note(body, context, events);
  else note(decoded, context, events);
}

function note(body: EventBody, context: ParseContext, events: EventBody[]): void {
  context.eventCount += 1;
  context.lastEventType = body.type;
  if (body.type === 'session_start' && body.sessionId) context.sessionId = body.sessionId;
  events.push(body);
}

/** What is due when the process has closed its streams. */
export function decodeEnd(
  adapter: AgentAdapter,
  context: ParseContext,
  exit: { code: number | null; signal: string | null },
): EventBody[] {
  try {
    return adapter.parseEnd?.(context, { code: exit.code, signal: exit.signal }) ?? [];
  } catch (error) {
    return [decodeFailure(error)];
  }
}

export function decodeFailure(error: unknown): EventBody {
  const message = `the adapter could not decode a line: ${error instanceof Error ? error.message : String(error)}`;
  return { type: 'error', code: 'PARSE_ERROR', message, recoverable: true };
}

export function lineCut(source: Source, total: number): EventBody {
  const message = `a line of ${total} bytes on ${source} was cut after ${MAX_LINE_BYTES}`;
  const data = { source, totalBytes: total, keptBytes: MAX_LINE_BYTES };
  return { type: 'debug', level: 'warn', code: 'line_cut', message, data };
}
