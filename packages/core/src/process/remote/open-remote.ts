import type { SpawnArgs } from '../../contract/adapter.ts';
import { openPipes } from '../pipes.ts';
import type { IoSink, ProcessExit, ProcessIo } from '../process-io.ts';
import { cleanUpRemote } from './clean-up.ts';
import { type RemoteLink, RemoteWatcher, writeSignal } from './link.ts';

/** The last stderr comes with the exit or right after it; a master connection of ssh may hold the stream open. */
const DRAIN_MS = 1000;
const TAIL_CHARS = 2000;

/**
 * A remote process, through its local client. Input for the agent and signals share stdin; the agent's stderr and
 * reports of the remote side share stderr. The exit is reported when nothing is left on the remote side.
 */
export function openRemote(plan: SpawnArgs, link: RemoteLink, sink: IoSink): ProcessIo {
  const watch = new RemoteWatcher(link);
  const drained = Promise.withResolvers<void>();
  let tail = '';
  const pass = (own: Buffer) => {
    if (own.length === 0) return;
    tail = (tail + own.toString()).slice(-TAIL_CHARS);
    sink.data('stderr', own);
  };
  const settle = async (exit: ProcessExit) => {
    // A paused stream has unread output.
    const timer = setInterval(() => io.paused || drained.resolve(), DRAIN_MS);
    if (!exit.spawnError) await drained.promise;
    clearInterval(timer);
    const { cleanUp } = link;
    const orderly = watch.settled && !exit.signal;
    if (!exit.spawnError && (cleanUp.always || !orderly)) await cleanUpRemote(cleanUp, plan.env);
    sink.exited(watch.exitOf(exit, tail));
  };
  const io = openPipes(plan, {
    data: (source, chunk) => (source === 'stderr' ? pass(watch.take(chunk)) : sink.data(source, chunk)),
    ended: (source) => {
      if (source === 'stderr') pass(watch.end());
      if (source === 'stderr') drained.resolve();
      sink.ended(source);
    },
    left: () => sink.left(),
    exited: (exit) => void settle(exit),
  });
  io.write(link.preamble);
  const order = (word: 'int' | 'eof' | 'end') => io.write(writeSignal(link, word));
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
