import type { ChannelSlot } from '../../contract/live.ts';
import { KeyedSemaphore } from '../../keyed-semaphore.ts';
import type { TraceWriter } from '../../process/trace.ts';
import type { Channel, ChannelSink } from './channel.ts';
import { DEFAULT_IDLE_MS, type PooledLaunch, PooledProcess } from './pooled-process.ts';
import { SharedProcessClient } from './shared-process-client.ts';

/** Maximum number of ids of ended sessions that are remembered, so that their late output is ignored. */
const FORMER_CHANNELS = 10_000;
/** Maximum output stored while the process serves no run. */
const LATE_CHARS = 64 * 1024;

interface JoinOptions {
  /** Runs with the same key share a process. */
  key: string;
  channel: string;
  /** The channel of a line; undefined if every run gets it. */
  route(line: string): string | undefined;
  /** Delivers stdout as text, whether or not a line has ended. */
  asText: boolean;
  /** Called at the end of the run. True if output may still come, which no other run may get. */
  mayReplyLater(): boolean;
  launch: PooledLaunch;
  runId: string;
  sink: ChannelSink<string>;
  trace: TraceWriter | undefined;
  /** Set if the process serves one run at a time: called at the end of the run. */
  release?: () => void;
}

interface Shared {
  pooled: PooledProcess;
  members: Map<string, SharedProcessClient>;
  former: Set<string>;
  lastRun: string;
  late: string;
}

/**
 * Processes that serve several runs, concurrently or one after another. They are pooled between the runs of a client.
 */
export class SharedProcesses {
  readonly #byKey = new Map<string, Shared>();
  /** Includes those that are exiting. */
  readonly #all = new Set<PooledProcess>();
  /** Queue for processes that serve one run at a time. */
  readonly #queue = new KeyedSemaphore(1);
  readonly #idleMs: number;

  constructor(idleMs: number = DEFAULT_IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** Waits for a process that serves one run at a time. Resolves to a function that releases it. */
  takeTurn(key: string, over: AbortSignal, waits: (before: number) => void): Promise<() => void> {
    return this.#queue.take(key, { over, waits });
  }

  /** The slot that `join` takes next. */
  slotFor({ key, launch, runId }: Pick<JoinOptions, 'key' | 'launch' | 'runId'>): ChannelSlot {
    const shared = this.#serving(key, launch);
    let channel = runId;
    for (let n = 2; shared?.former.has(channel) || shared?.members.has(channel); n += 1) channel = `${runId}.${n}`;
    return { channel, used: shared !== undefined };
  }

  join(joining: JoinOptions): Channel<string> {
    const { key, channel, runId, sink, trace, asText, release, launch, mayReplyLater } = joining;
    const serving = this.#serving(key, launch);
    const shared = serving ?? this.#start(joining);
    const { pooled, members } = shared;
    const member = new SharedProcessClient(sink, trace, asText ? '' : '\n', serving !== undefined);
    members.set(channel, member);
    pooled.use();
    if (shared.late !== '') member.late(shared.late, shared.lastRun);
    shared.late = '';
    shared.lastRun = runId;
    flow(shared);
    let over: Promise<void> | undefined;
    const leave = (keep: boolean): Promise<void> => {
      over ??= leaveOnce(keep);
      return over;
    };
    const leaveOnce = async (keep: boolean): Promise<void> => {
      member.leave();
      members.delete(channel);
      remember(shared.former, channel);
      flow(shared);
      try {
        if (!keep) await this.#drop(key, shared, { atOnce: true });
        else if (members.size === 0) await this.#rest(key, shared, launch);
      } finally {
        release?.();
      }
    };
    return {
      send: (messages) => {
        if (messages.length === 0) return;
        trace?.write('in', `${messages.join('\n')}\n`);
        pooled.process.write(`${messages.join('\n')}\n`);
      },
      closeInput: () => {},
      pause: () => {
        member.pause();
        flow(shared);
      },
      resume: () => {
        member.resume();
        flow(shared);
      },
      finish: async () => {
        await leave(!mayReplyLater());
        return true;
      },
      // The answer of a killed run may still come. If the next run could mistake it for its own, the process is ended
      // too.
      kill: () => leave(release === undefined),
    };
  }

  async close(): Promise<void> {
    this.#byKey.clear();
    await Promise.all([...this.#all].map((pooled) => pooled.end()));
  }

  #serving(key: string, launch: PooledLaunch): Shared | undefined {
    const shared = this.#byKey.get(key);
    if (shared?.pooled.serves(launch.config())) return shared;
    // A process that has exited may still be read from, but serves no new run.
    if (shared?.pooled.process.living) void this.#drop(key, shared);
    else if (shared) this.#forget(key, shared);
    return undefined;
  }

  async #rest(key: string, shared: Shared, launch: PooledLaunch): Promise<void> {
    if (this.#idleMs === 0 || this.#byKey.get(key) !== shared) await this.#drop(key, shared);
    else shared.pooled.rest(this.#idleMs, launch.config(), () => this.#forget(key, shared));
  }

  async #drop(key: string, shared: Shared, how?: { atOnce: boolean }): Promise<void> {
    this.#forget(key, shared);
    await shared.pooled.end(how?.atOnce);
  }

  #forget(key: string, shared: Shared): void {
    if (this.#byKey.get(key) === shared) this.#byKey.delete(key);
  }

  #start({ key, route, launch, asText, runId }: JoinOptions): Shared {
    const members = new Map<string, SharedProcessClient>();
    const broadcast = (send: (member: SharedProcessClient) => void) => {
      for (const member of [...members.values()]) send(member);
    };
    const pooled = new PooledProcess(
      launch,
      { leavesAtEof: true },
      {
        lines: (source, lines, bytes) => {
          // No complete line, but a sign of life.
          if (lines.length === 0) return broadcast((member) => member.alive());
          const weight = bytes / lines.length;
          for (const line of lines) {
            if (source === 'stderr') broadcast((member) => member.line(source, line, weight, true));
            else deliver(shared, route(line), line, weight);
          }
        },
        ...(asText && {
          text: (piece: string, bytes: number) => {
            if (members.size === 0) shared.late = (shared.late + piece).slice(-LATE_CHARS);
            else broadcast((member) => member.line('stdout', piece, bytes, true));
          },
        }),
        lineCut: (source, total) => broadcast((member) => member.cut(source, total)),
        closed: (exit) => {
          this.#forget(key, shared);
          broadcast((member) => member.closed({ exit, stderr: pooled.process.stderrTail }));
        },
      },
    );
    const shared: Shared = { pooled, members, former: new Set(), lastRun: runId, late: '' };
    this.#byKey.set(key, shared);
    this.#all.add(pooled);
    void pooled.gone.then(() => this.#all.delete(pooled));
    return shared;
  }
}

function deliver({ members, former }: Shared, channel: string | undefined, line: string, weight: number): void {
  const member = channel === undefined ? undefined : members.get(channel);
  // Output for one run is not a sign of life of the others.
  if (member) member.line('stdout', line, weight, true);
  // The session is over: drop the line.
  else if (channel !== undefined && former.has(channel)) return;
  // The session is unknown: each run reports it.
  else for (const each of [...members.values()]) each.line('stdout', line, weight, channel === undefined);
}

/** Pauses the process only if all of its runs are stalled. */
function flow({ pooled, members }: Shared): void {
  const stalled = members.size > 0 && [...members.values()].every(({ paused }) => paused);
  if (stalled) pooled.process.pause();
  else pooled.process.resume();
}

function remember(former: Set<string>, channel: string): void {
  former.add(channel);
  for (const oldest of former) {
    if (former.size <= FORMER_CHANNELS) break;
    former.delete(oldest);
  }
}
