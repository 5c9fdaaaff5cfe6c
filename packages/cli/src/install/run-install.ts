import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { InstallAction, InstallChangeOptions, InstallOutcome } from '@agent-mux/core';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { withProgress } from '../screen/progress.ts';
import { UsageError } from '../usage-error.ts';

const BUSY: Readonly<Record<InstallAction, string>> = {
  install: 'installing',
  update: 'updating',
  uninstall: 'uninstalling',
};
/** Number of installer output lines repeated after a failure. */
const LAST_LINES = 20;

type Change = (client: ConfiguredClient, agent: string, watch: InstallChangeOptions) => Promise<InstallOutcome>;

/** Runs an install, update or uninstall with progress and prints the outcome. */
export function runInstall(action: InstallAction, args: ParsedArgs, change: Change): Promise<number> {
  const [agent] = args.positionals;
  if (agent === undefined)
    throw new UsageError('missing agent', `run "amux ${action} AGENT"; "amux agents" lists them`);
  const json = hasFlag(args, 'json');
  return withClient(args, async (client) => {
    const { displayName } = client.adapterNamed(agent);
    const stop = new AbortController();
    const onInterrupt = () => stop.abort();
    process.on('SIGINT', onInterrupt);
    process.on('SIGTERM', onInterrupt);
    try {
      const outcome = await withProgress(`${BUSY[action]} ${displayName}`, (say) => {
        const onProgress = json ? () => {} : process.stderr.isTTY ? say : plainLine;
        return change(client, agent, { dryRun: hasFlag(args, 'dry-run'), signal: stop.signal, onProgress });
      });
      if (json) printJson<'install' | 'update' | 'uninstall'>(outcome);
      else report(outcome);
      return exitCode(outcome);
    } finally {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onInterrupt);
    }
  });
}

function plainLine(line: string): void {
  process.stderr.write(`${paint(process.stderr).dim(toOneLine(line, 500))}\n`);
}

function report(outcome: InstallOutcome): void {
  const { green, yellow, dim } = paint(process.stdout);
  const { ok, dryRun, command, message = '', hint, path, stdout = '', stderr = '' } = outcome;
  if (dryRun && command) {
    print(`${command}${message ? dim(`  # ${message}`) : ''}`);
    return;
  }
  if (!ok && process.stderr.isTTY) {
    for (const line of `${stdout}${stderr}`.trim().split('\n').slice(-LAST_LINES)) if (line) plainLine(line);
  }
  print(`${ok ? green('✓') : yellow('✗')} ${toOneLine(message, 1000)}${ok && path ? ` ${dim(path)}` : ''}`);
  if (hint) print(`  ${toOneLine(hint, 1000)}`);
}

/** An agent installed outside of PATH counts as not installed. */
function exitCode({ ok, action, changed }: InstallOutcome): number {
  if (ok) return EXIT.ok;
  return action === 'install' && changed ? EXIT.notInstalled : EXIT.failure;
}
