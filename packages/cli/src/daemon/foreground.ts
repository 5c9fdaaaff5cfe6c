import { AgentMuxError, shellCommand } from '@agent-mux/core/light';
import { type FoundDaemon, findDaemon } from '@agent-mux/daemon/start';
import { EXIT } from '../exit-codes.ts';
import { print, printInfo, printJson } from '../output.ts';
import { packageVersion } from '../package-version.ts';
import { amuxCommandLine } from '../run/summary-lines.ts';
import { paint } from '../screen/paint.ts';
import { type DemoSession, startDemoSession } from './demo-session.ts';
import { withRunningDaemon } from './open.ts';
import { statusOf } from './status.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Staying {
  /** Default: the configured port. */
  port: number | undefined;
  demo: boolean;
  json: boolean;
}

/** Runs the daemon in this process until Ctrl-C. Sessions keep running without it, except the demo session. */
export async function runForeground({ port, demo, json }: Staying): Promise<number> {
  const running = await findDaemon();
  if (running && demo && port === undefined) {
    if (json) return printJson<'up'>(await statusOf(running));
    printReady(running.url, await withRunningDaemon(running, (daemon) => daemon.loginLink()), { isNew: false });
    return EXIT.ok;
  }
  if (running) {
    throw new AgentMuxError(
      'CONFIG_ERROR',
      `the daemon is already running at ${running.url} (process ${running.pid})`,
      {
        hint: 'run "amux down" to stop it; sessions keep running',
      },
    );
  }
  const { runDaemon } = await import('@agent-mux/daemon');
  const over = new AbortController();
  let shown: Promise<DemoSession | undefined> = Promise.resolve(undefined);
  let failure: unknown;
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await (await shown.catch(() => undefined))?.end();
    over.abort();
  };
  const onReady = async (found: FoundDaemon) => {
    if (demo) shown = startDemoSession(found);
    const session = (await shown)?.session;
    if (json) printJson<'up'>(await statusOf(found));
    else {
      const link = await withRunningDaemon(found, (daemon) => daemon.loginLink());
      printReady(found.url, link, { isNew: true, demo: session?.id.slice(0, 8) });
    }
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const version = packageVersion();
  try {
    await runDaemon({
      version,
      signal: over.signal,
      ...(port === undefined ? {} : { settings: { port } }),
      onReady: (at) => {
        onReady({ ...at, version, startedAt: Date.now() }).catch((error: unknown) => {
          failure = error;
          void end();
        });
      },
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
  if (failure !== undefined) throw failure;
  if (!json) printInfo('Daemon stopped.');
  return EXIT.ok;
}

interface Ready {
  /** Started by this process, which runs until Ctrl-C. */
  isNew: boolean;
  /** Id of the demo session. */
  demo?: string | undefined;
}

function printReady(url: string, link: string, { isNew, demo }: Ready): void {
  const { bold, dim, cyan, green } = paint(process.stdout);
  const amux = shellCommand(amuxCommandLine());
  const steps: (readonly [string, string])[] = [
    ...(demo === undefined
      ? ([[`${amux} new -a demo "write hello.txt"`, 'Start a session']] as const)
      : ([
          [`${amux} attach ${demo}`, 'Attach to the demo session'],
          [`${amux} inbox`, 'List open requests'],
        ] as const)),
    [`${amux} ps`, 'List sessions'],
    [`${amux} new -a claude "explain this project"`, 'Run a real agent'],
  ];
  const width = Math.max(...steps.map(([command]) => command.length));
  print(
    `${green('●')} the daemon is ${isNew ? 'running' : 'already running'} at ${bold(url)}; ${isNew ? 'press Ctrl-C' : `run "${amux} down"`} to stop it`,
  );
  print(`  ${bold('dashboard')}  ${cyan(link)}`);
  print(dim(`  the link works once, for five minutes; run "${amux} open" for another`));
  print(dim(`  API documentation: ${url}/docs`));
  if (demo !== undefined) print(dim(`  demo session: ${demo}`));
  print(`\n${bold('Next steps')}, in another terminal`);
  for (const [command, about] of steps) print(`  ${cyan(command.padEnd(width))}  ${dim(about)}`);
}
