import type { Seat } from '../../contract/live.ts';
import type { TraceWriter } from '../../process/trace.ts';
import { WaitingLine } from '../../waiting-line.ts';
import type { Channel, ChannelSink } from './channel.ts';
import { DEFAULT_IDLE_MS, type KeptLaunch, KeptProcess } from './kept-process.ts';
import { Member } from './member.ts';

/** Sessions that are over are known by their ids, so that what still comes of them is nobody's fault: so many. */
const FORMER_CHANNELS = 10_000;
/** What is kept of what a process says while it serves nobody. */
const LATE_CHARS = 64 * 1024;

interface Joining {
  /** Runs with the same key use the same process. */
  key: string;
  channel: string;
  /** The channel of a line; undefined: every run gets it. */
  route(line: string): string | undefined;
  /** stdout comes as text, whether or not a line has ended. */
  asText: boolean;
  /** Asked at the end of the run: nobody else may get what still comes. */
  mayAnswerLater(): boolean;
  launch: KeptLaunch;
  runId: string;
  sink: ChannelSink<string>;
  trace: TraceWriter | undefined;
  /** It serves one run at a time, and this is the one: called when that is over. */
  release?: () => void;
}

interface Shared {
  kept: KeptProcess;
  members: Map<string, Member>;
  former: Set<string>;
  lastRun: string;
  late: string;
}

/** The processes that serve several runs, at once or one after the other. They are kept between the runs of a client. */
export class SharedProcesses {
  readonly #byKey = new Map<string, Shared>();
  /** Also those that are leaving. */
  readonly #all = new Set<KeptProcess>();
  /** Those who want a process that serves one run at a time. */
  readonly #line = new WaitingLine(1);
  readonly #idleMs: number;

  constructor(idleMs: number = DEFAULT_IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** For a process that serves one run at a time. Resolves to what lets the next one in. */
  takeTurn(key: string, over: AbortSignal, waits: (before: number) => void): Promise<() => void> {
    return this.#line.take(key, { over, waits });
  }

  /** The seat that `join` takes next. */
  seatFor({ key, launch, runId }: Pick<Joining, 'key' | 'launch' | 'runId'>): Seat {
    const shared = this.#serving(key, launch);
    let channel = runId;
    for (let n = 2; shared?.former.has(channel) || shared?.members.has(channel); n += 1) channel = `${runId}.${n}`;
    return { channel, used: shared !== undefined };
  }

  join(joining: Joining): Channel<string> {
    const { key, channel, runId, sink, trace, asText, release, launch, mayAnswerLater } = joining;
    const serving = this.#serving(key, launch);
    const shared = serving ?? this.#start(joining);
    const { kept, members } = shared;
    const member = new Member(sink, trace, asText ? '' : '\n', serving !== undefined);
    members.set(channel, member);
    kept.use();
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
        kept.process.write(`${messages.join('\n')}\n`);
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
        await leave(!mayAnswerLater());
        return true;
      },
      // The answer of a run that was ended may still come: where it could be taken for the next one's, nobody gets it.
      kill: () => leave(release === undefined),
    };
  }

  async close(): Promise<void> {
    this.#byKey.clear();
    await Promise.all([...this.#all].map((kept) => kept.end()));
  }

  #serving(key: string, launch: KeptLaunch): Shared | undefined {
    const shared = this.#byKey.get(key);
    if (shared?.kept.serves(launch.config())) return shared;
    // One that has exited may still be read from, but serves nobody any more.
    if (shared?.kept.process.living) void this.#drop(key, shared);
    else if (shared) this.#forget(key, shared);
    return undefined;
  }

  async #rest(key: string, shared: Shared, launch: KeptLaunch): Promise<void> {
    if (this.#idleMs === 0 || this.#byKey.get(key) !== shared) await this.#drop(key, shared);
    else shared.kept.rest(this.#idleMs, launch.config(), () => this.#forget(key, shared));
  }

  async #drop(key: string, shared: Shared, how?: { atOnce: boolean }): Promise<void> {
    this.#forget(key, shared);
    await shared.kept.end(how?.atOnce);
  }

  #forget(key: string, shared: Shared): void {
    if (this.#byKey.get(key) === shared) this.#byKey.delete(key);
  }

  #start({ key, route, launch, asText, runId }: Joining): Shared {
    const members = new Map<string, Member>();
    const everybody = (tell: (member: Member) => void) => {
      for (const member of [...members.values()]) tell(member);
    };
    const kept = new KeptProcess(
      launch,
      { leavesAtEof: true },
      {
        lines: (source, lines, bytes) => {
          // No line at all: it is at work, though no line ends.
          if (lines.length === 0) return everybody((member) => member.alive());
          const weight = bytes / lines.length;
          for (const line of lines) {
            if (source === 'stderr') everybody((member) => member.line(source, line, weight, true));
            else deliver(shared, route(line), line, weight);
          }
        },
        ...(asText && {
          text: (piece: string, bytes: number) => {
            if (members.size === 0) shared.late = (shared.late + piece).slice(-LATE_CHARS);
            else everybody((member) => member.line('stdout', piece, bytes, true));
          },
        }),
        lineCut: (source, total) => everybody((member) => member.cut(source, total)),
        closed: (exit) => {
          this.#forget(key, shared);
          everybody((member) => member.closed({ exit, stderr: kept.process.stderrTail }));
        },
      },
    );
    const shared: Shared = { kept, members, former: new Set(), lastRun: runId, late: '' };
    this.#byKey.set(key, shared);
    this.#all.add(kept);
    void kept.gone.then(() => this.#all.delete(kept));
    return shared;
  }
}

function deliver({ members, former }: Shared, channel: string | undefined, line: string, weight: number): void {
  const member = channel === undefined ? undefined : members.get(channel);
  // What one run gets is no sign of life for the others.
  if (member) member.line('stdout', line, weight, true);
  // Of a session that is over: nobody's.
  else if (channel !== undefined && former.has(channel)) return;
  // Of a session that never was: each run says so.
  else for (const each of [...members.values()]) each.line('stdout', line, weight, channel === undefined);
}

/** The process waits only where there is nobody for whom it could go on. */
function flow({ kept, members }: Shared): void {
  const stalled = members.size > 0 && [...members.values()].every(({ paused }) => paused);
  if (stalled) kept.process.pause();
  else kept.process.resume();
}

function remember(former: Set<string>, channel: string): void {
  former.add(channel);
  for (const oldest of former) {
    if (former.size <= FORMER_CHANNELS) break;
    former.delete(oldest);
  }
}
