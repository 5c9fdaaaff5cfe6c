import type { SessionEvent } from '@agent-mux/api';
import { isStalled, onBrokenPipe, waitForRoom } from '../broken-pipe.ts';
import { type Given, isOn, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../output.ts';
import { jsonOf } from '../screen/json.ts';
import { UsageError } from '../usage-error.ts';
import { withDaemon } from './open.ts';

/** So many events are asked for at once. */
const PAGE = 1000;

export async function printEvents(given: Given, id: string): Promise<number> {
  const after = readSeq(textFlag(given, 'after') ?? '-1');
  const untilEnd = isOn(given, 'until-end');
  return withDaemon(async (daemon) => {
    const session = await daemon.sessions.get(id);
    const write = await writerOf(isOn(given, 'json'));
    if (!isOn(given, 'follow') && !untilEnd) {
      for (let from = after; ; ) {
        const { events, more } = await daemon.sessions.events(session.id, { after: from, limit: PAGE });
        await write(events);
        const last = events.at(-1);
        if (!more || !last) return EXIT.ok;
        from = last.seq;
      }
    }
    const over = new AbortController();
    const stop = () => over.abort();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    onBrokenPipe(stop);
    const until = untilEnd ? ({ until: 'end' } as const) : {};
    const stream = daemon.sessions.followBatches(session.id, { after, ...until, signal: over.signal });
    for await (const batch of stream) await write(batch.map(({ value }) => value));
    return EXIT.ok;
  });
}

/** One write for all that have come at once. A reader that is slow slows the reading, not the memory. */
async function writerOf(json: boolean): Promise<(events: readonly SessionEvent[]) => Promise<void>> {
  if (json) {
    return async (events) => {
      if (events.length === 0 || process.stdout.errored) return;
      process.stdout.write(events.map((event) => `${jsonOf(event)}\n`).join(''));
      if (isStalled()) await waitForRoom();
    };
  }
  const { eventLine } = await import('./event-line.ts');
  return async (events) => {
    if (events.length === 0 || process.stdout.errored) return;
    print(events.map(eventLine).join('\n'));
    if (isStalled()) await waitForRoom();
  };
}

function readSeq(text: string): number {
  const seq = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(seq) && seq >= -1) return seq;
  throw new UsageError(`--after: "${text}" is no seq`, 'a whole number, as the events have it; -1 is all (--after=-1)');
}
