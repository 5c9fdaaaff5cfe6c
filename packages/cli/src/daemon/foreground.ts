import { AgentMuxError, shellCommand } from '@agent-mux/core/light';
import { type FoundDaemon, findDaemon } from '@agent-mux/daemon/start';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, tell } from '../output.ts';
import { ownVersion } from '../own-version.ts';
import { ownCommand } from '../run/closing.ts';
import { paint } from '../screen/paint.ts';
import { type Demonstration, demonstrate } from './demonstration.ts';
import { withFound } from './open.ts';
import { statusOf } from './status.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Staying {
  /** Default: what the configuration says. */
  port: number | undefined;
  demo: boolean;
  json: boolean;
}

/** The daemon in this process, until Ctrl-C. Sessions go on without it, but for the demonstration. */
export async function stayUp({ port, demo, json }: Staying): Promise<number> {
  const running = await findDaemon();
  if (running && demo && port === undefined) {
    if (json) return printJson<'up'>(await statusOf(running));
    tellReady(running.url, await withFound(running, (daemon) => daemon.loginLink()), { isNew: false });
    return EXIT.ok;
  }
  if (running) {
    throw new AgentMuxError('CONFIG_ERROR', `the daemon runs already, at ${running.url} (process ${running.pid})`, {
      hint: 'amux down ends it; sessions go on meanwhile',
    });
  }
  const { runDaemon } = await import('@agent-mux/daemon');
  const over = new AbortController();
  let shown: Promise<Demonstration | undefined> = Promise.resolve(undefined);
  let failure: unknown;
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await (await shown.catch(() => undefined))?.end();
    over.abort();
  };
  const begin = async (found: FoundDaemon) => {
    if (demo) shown = demonstrate(found);
    const session = (await shown)?.session;
    if (json) printJson<'up'>(await statusOf(found));
    else {
      const link = await withFound(found, (daemon) => daemon.loginLink());
      tellReady(found.url, link, { isNew: true, demo: session?.id.slice(0, 8) });
    }
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const version = ownVersion();
  try {
    await runDaemon({
      version,
      signal: over.signal,
      ...(port === undefined ? {} : { settings: { port } }),
      onReady: (at) => {
        begin({ ...at, version, startedAt: Date.now() }).catch((error: unknown) => {
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

interface Ready {
  /** Started by this process, which stays until Ctrl-C. */
  isNew: boolean;
  /** The demo session. */
  demo?: string | undefined;
}

function tellReady(url: string, link: string, { isNew, demo }: Ready): void {
  const { bold, dim, cyan, green } = paint(process.stdout);
  const amux = shellCommand(ownCommand());
  const steps: (readonly [string, string])[] = [
    ...(demo === undefined
      ? ([[`${amux} new -a demo "write hello.txt"`, 'begin a session']] as const)
      : ([
          [`${amux} attach ${demo}`, 'watch it and talk to it'],
          [`${amux} inbox`, 'what it asks, and how to answer'],
        ] as const)),
    [`${amux} ps`, 'all sessions'],
    [`${amux} new -a claude "explain this project"`, 'the same with a real agent'],
  ];
  const width = Math.max(...steps.map(([command]) => command.length));
  print(
    `${green('●')} the daemon ${isNew ? 'runs' : 'already runs'} at ${bold(url)}; ${isNew ? 'Ctrl-C ends it' : `${amux} down ends it`}`,
  );
  print(`  ${bold('dashboard')}  ${cyan(link)}`);
  print(dim(`  the link works once, for five minutes; ${amux} open makes another`));
  print(dim(`  ${url}/docs describes its API`));
  if (demo !== undefined) print(dim(`  a session of the demo agent is at work in it: ${demo}`));
  print(`\n${bold('Next')}, in another terminal`);
  for (const [command, about] of steps) print(`  ${cyan(command.padEnd(width))}  ${dim(about)}`);
}
