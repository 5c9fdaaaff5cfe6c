import { AgentMuxError, shellCommand } from '@agent-mux/core';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, tell } from '../output.ts';
import { ownCommand } from '../run/closing.ts';
import { paint } from '../screen/paint.ts';
import { type Demonstration, demonstrate } from './demonstration.ts';
import { findDaemon } from './find.ts';
import { statusOf } from './status.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type RunDaemon = (given: {
  port: number;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  onReady: () => void;
}) => Promise<unknown>;

interface Staying {
  port: number;
  demo: boolean;
  json: boolean;
}

/** The daemon in this process, until Ctrl-C. Sessions go on without it, but for the demonstration. */
export async function stayUp({ port, demo, json }: Staying): Promise<number> {
  const running = await findDaemon();
  if (running) {
    throw new AgentMuxError('CONFIG_ERROR', `the daemon runs already, at ${running.url} (process ${running.pid})`, {
      hint: 'amux down ends it; sessions go on meanwhile',
    });
  }
  const { runDaemon }: { runDaemon?: RunDaemon } = await import('@agent-mux/daemon');
  if (!runDaemon) throw new AgentMuxError('INTERNAL_ERROR', 'this build has no daemon');
  const over = new AbortController();
  let shown: Promise<Demonstration | undefined> = Promise.resolve(undefined);
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await (await shown.catch(() => undefined))?.end();
    over.abort();
  };
  for (const signal of SIGNALS) process.on(signal, end);
  let failure: unknown;
  const onReady = async () => {
    const found = await findDaemon();
    if (!found) return;
    if (demo) shown = demonstrate(found);
    const session = (await shown)?.session;
    if (json) printJson<'up'>(await statusOf(found));
    else tellReady(found.url, session?.id.slice(0, 8));
  };
  try {
    await runDaemon({
      port,
      env: process.env,
      signal: over.signal,
      onReady: () => {
        onReady().catch((error: unknown) => {
          failure = error;
          void end();
        });
      },
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
  if (failure !== undefined) throw failure;
  if (!json) tell('The daemon has ended.');
  return EXIT.ok;
}

function tellReady(url: string, demo: string | undefined): void {
  const { bold, dim, cyan, green } = paint(process.stdout);
  const amux = shellCommand(ownCommand());
  const steps: [string, string][] = [
    ...(demo === undefined
      ? ([[`${amux} new -a demo "write hello.txt"`, 'begin a session']] as [string, string][])
      : ([
          [`${amux} attach ${demo}`, 'watch the demo agent and talk to it'],
          [`${amux} inbox`, 'what it asks, and how to answer'],
        ] as [string, string][])),
    [`${amux} ps`, 'all sessions'],
    [`${amux} new -a claude "explain this project"`, 'the same with a real agent'],
  ];
  const width = Math.max(...steps.map(([command]) => command.length));
  print(`${green('●')} the daemon runs at ${bold(url)} ${dim(`(${url}/docs describes its API; Ctrl-C ends it)`)}`);
  if (demo !== undefined) print(`  with a session of the demo agent at work: ${demo}`);
  print(`\n${bold('Next')}, in another terminal`);
  for (const [command, about] of steps) print(`  ${cyan(command.padEnd(width))}  ${dim(about)}`);
}
