import { leaves } from '../oneshot.ts';
import type { SpawnPlan } from '../place/link.ts';
import { AgentProcess } from '../process.ts';
import type { TraceWriter } from '../trace.ts';
import type { Channel, ChannelSink } from './channel.ts';

interface Shared {
  process: AgentProcess;
  members: Map<string, ChannelSink<string>>;
  paused: Set<string>;
}

/** How long a shared process may take to leave after its last run, and after one that was ended. */
const LAST_LEAVES_MS = 3000;
const LAST_KILLED_MS = 500;

/** The processes that serve several runs at once. A process starts with its first run and ends with its last. */
export class SharedProcesses {
  readonly #byKey = new Map<string, Shared>();

  join(
    key: string,
    channel: string,
    route: (line: string) => string | undefined,
    plan: SpawnPlan,
    runId: string,
    sink: ChannelSink<string>,
    trace: TraceWriter | undefined,
  ): Channel<string> {
    const known = this.#byKey.get(key);
    // One that has exited may still be read from, but serves nobody any more.
    const shared = known && !known.process.exited ? known : this.#start(key, route, plan, runId);
    shared.members.set(channel, trace ? traced(sink, trace) : sink);
    const leave = async (withinMs: number): Promise<boolean> => {
      if (!shared.members.delete(channel)) return true;
      shared.paused.delete(channel);
      if (shared.paused.size === 0) shared.process.resume();
      if (shared.members.size > 0) return true;
      if (this.#byKey.get(key) === shared) this.#byKey.delete(key);
      shared.process.closeStdin();
      // The run is over for its caller; that somebody's process takes its time to leave is not its failure.
      await leaves(shared.process, withinMs);
      return true;
    };
    return {
      send: (messages) => {
        if (messages.length === 0) return;
        trace?.write('in', `${messages.join('\n')}\n`);
        shared.process.write(`${messages.join('\n')}\n`);
      },
      closeInput: () => {},
      pause: () => {
        shared.paused.add(channel);
        shared.process.pause();
      },
      resume: () => {
        shared.paused.delete(channel);
        if (shared.paused.size === 0) shared.process.resume();
      },
      interrupt: () => {},
      finish: () => leave(LAST_LEAVES_MS),
      kill: async () => {
        await leave(LAST_KILLED_MS);
      },
    };
  }

  async close(): Promise<void> {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    await Promise.all(all.map(({ process }) => process.terminate()));
  }

  #start(key: string, route: (line: string) => string | undefined, plan: SpawnPlan, runId: string): Shared {
    const members = new Map<string, ChannelSink<string>>();
    const process = new AgentProcess(plan, runId, {
      lines: (source, lines, bytes) => {
        const weight = bytes / lines.length;
        if (source === 'stderr') {
          for (const sink of [...members.values()]) {
            sink.alive();
            sink.stderr(lines, bytes);
          }
          return;
        }
        for (const line of lines) {
          const channel = route(line);
          const receivers = channel === undefined ? [...members.values()] : [members.get(channel)];
          // What one run gets is no sign of life for the others.
          for (const sink of receivers) {
            sink?.alive();
            sink?.messages([line], weight);
          }
        }
      },
      lineCut: (source, total) => {
        for (const sink of members.values()) sink.lineCut(source, total);
      },
      closed: (exit) => {
        if (this.#byKey.get(key)?.process === process) this.#byKey.delete(key);
        for (const sink of [...members.values()]) sink.closed({ exit, stderr: process.stderrTail });
      },
    });
    const shared = { process, members, paused: new Set<string>() };
    this.#byKey.set(key, shared);
    return shared;
  }
}

/** The process belongs to several runs: each writes down what it got of it. */
function traced(sink: ChannelSink<string>, trace: TraceWriter): ChannelSink<string> {
  return {
    ...sink,
    messages: (lines, bytes) => {
      trace.write('stdout', `${lines.join('\n')}\n`);
      sink.messages(lines, bytes);
    },
    stderr: (lines, bytes) => {
      trace.write('stderr', `${lines.join('\n')}\n`);
      sink.stderr(lines, bytes);
    },
  };
}
