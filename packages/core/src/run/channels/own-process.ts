import { AgentProcess } from '../../process/process.ts';
import type { SpawnPlan } from '../../process/remote/link.ts';
import type { TraceWriter } from '../../process/trace.ts';
import type { Channel, ChannelSink } from './channel.ts';

interface OwnProcessSetup {
  runId: string;
  /** Delivers stdout as text, whether or not a line has ended. */
  asText: boolean;
  sink: ChannelSink<string>;
  trace: TraceWriter | undefined;
}

/** A channel over stdin and stdout of a process that serves this run only. */
export function openOwnProcess(plan: SpawnPlan, { runId, asText, sink, trace }: OwnProcessSetup): Channel<string> {
  const process = new AgentProcess(
    plan,
    runId,
    {
      lines: (source, lines, bytes) => {
        sink.alive();
        if (source === 'stdout') sink.messages(lines, bytes);
        else sink.stderr(lines, bytes);
      },
      ...(asText && {
        text: (piece: string, bytes: number) => {
          sink.alive();
          sink.messages([piece], bytes);
        },
      }),
      lineCut: (source, total) => sink.lineCut(source, total),
      closed: (exit) => sink.closed({ exit, stderr: process.stderrTail }),
    },
    trace,
  );
  return {
    send: (messages) => {
      if (messages.length > 0) process.write(`${messages.join('\n')}\n`);
    },
    closeInput: () => process.closeStdin(),
    pause: () => process.pause(),
    resume: () => process.resume(),
    finish: (graceMs) => {
      process.closeStdin();
      return process.finish(graceMs);
    },
    kill: () => process.terminate(),
  };
}
