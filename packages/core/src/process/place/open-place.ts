import type { SpawnArgs } from '../../contract/adapter.ts';
import { openPipes } from '../pipes.ts';
import type { IoSink, ProcessExit, ProcessIo } from '../process-io.ts';
import { cleanUpPlace } from './clean-up.ts';
import { type PlaceLink, PlaceWatch, writeOrder } from './link.ts';

/** The last words on stderr come with the exit, or at once after it; a master connection of ssh may hold it open. */
const LAST_WORDS_MS = 1000;
const KEPT_CHARS = 2000;

/**
 * A process in another place, through its client here. What is said to the agent and what is ordered go the same way
 * in, the agent's stderr and the words of the other side the same way out. The exit is told when nothing is left there.
 */
export function openPlace(plan: SpawnArgs, link: PlaceLink, sink: IoSink): ProcessIo {
  const watch = new PlaceWatch(link);
  const heard = Promise.withResolvers<void>();
  let tail = '';
  const pass = (own: Buffer) => {
    if (own.length === 0) return;
    tail = (tail + own.toString()).slice(-KEPT_CHARS);
    sink.data('stderr', own);
  };
  const settle = async (exit: ProcessExit) => {
    // A paused stream has its last words still before it.
    const timer = setInterval(() => io.paused || heard.resolve(), LAST_WORDS_MS);
    if (!exit.spawnError) await heard.promise;
    clearInterval(timer);
    const { cleanUp } = link;
    const orderly = watch.settled && !exit.signal;
    if (!exit.spawnError && (cleanUp.always || !orderly)) await cleanUpPlace(cleanUp, plan.env);
    sink.exited(watch.exitOf(exit, tail));
  };
  const io = openPipes(plan, {
    data: (source, chunk) => (source === 'stderr' ? pass(watch.take(chunk)) : sink.data(source, chunk)),
    ended: (source) => {
      if (source === 'stderr') pass(watch.end());
      if (source === 'stderr') heard.resolve();
      sink.ended(source);
    },
    left: () => sink.left(),
    exited: (exit) => void settle(exit),
  });
  io.write(link.preamble);
  const order = (word: 'int' | 'eof' | 'end') => io.write(writeOrder(link, word));
  return {
    get pid() {
      return io.pid;
    },
    sources: io.sources,
    get paused() {
      return io.paused;
    },
    write: (data) => io.write(data),
    closeInput: () => order('eof'),
    pause: () => io.pause(),
    resume: () => io.resume(),
    keepHost: (wanted) => io.keepHost(wanted),
    interrupt: () => order('int'),
    release: () => {
      order('end');
      io.closeInput();
    },
    drop: () => io.drop(),
  };
}
