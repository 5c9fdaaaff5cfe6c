import type { SessionEvent } from '@agent-mux/api';
import { isStalled, onBrokenPipe, waitForDrain } from '../broken-pipe.ts';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../output.ts';
import { jsonOf } from '../screen/json.ts';
import { UsageError } from '../usage-error.ts';
import { withDaemon } from './open.ts';

/** Events per request. */
const PAGE = 1000;

export async function printEvents(args: ParsedArgs, id: string): Promise<number> {
  const after = readSeq(stringFlag(args, 'after') ?? '-1');
  const untilExit = hasFlag(args, 'until-exit');
  return withDaemon(async (daemon) => {
    const session = await daemon.sessions.get(id);
    const write = await writerOf(hasFlag(args, 'json'));
    if (!hasFlag(args, 'follow') && !untilExit) {
      for (let from = after; ; ) {
        const { events, hasMore } = await daemon.sessions.events(session.id, { after: from, limit: PAGE });
        await write(events);
        const last = events.at(-1);
        if (!hasMore || !last) return EXIT.ok;
        from = last.seq;
      }
    }
    const over = new AbortController();
    const stop = () => over.abort();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    onBrokenPipe(stop);
    const until = untilExit ? ({ until: 'end' } as const) : {};
    const stream = daemon.sessions.followBatches(session.id, { after, ...until, signal: over.signal });
    for await (const batch of stream) await write(batch.map(({ value }) => value));
    return EXIT.ok;
  });
}

/** Writes a batch at once. A slow reader slows down reading instead of filling memory. */
async function writerOf(json: boolean): Promise<(events: readonly SessionEvent[]) => Promise<void>> {
  if (json) {
    return async (events) => {
      if (events.length === 0 || process.stdout.errored) return;
      process.stdout.write(events.map((event) => `${jsonOf(event)}\n`).join(''));
      if (isStalled()) await waitForDrain();
    };
  }
  const { eventLine } = await import('./event-line.ts');
  return async (events) => {
    if (events.length === 0 || process.stdout.errored) return;
    print(events.map(eventLine).join('\n'));
    if (isStalled()) await waitForDrain();
  };
}

function readSeq(text: string): number {
  const seq = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(seq) && seq >= -1) return seq;
  throw new UsageError(`--after: invalid sequence number "${text}"`, 'use an integer; --after=-1 prints all events');
}
