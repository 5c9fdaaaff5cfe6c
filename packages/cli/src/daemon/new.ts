import { resolve } from 'node:path';
import type { DaemonClient, NewSession, Session } from '@agent-mux/api';
import type { RunOptions } from '@agent-mux/core';
import { shellCommand } from '@agent-mux/core/light';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { parseBudget } from '../limits/budget.ts';
import { formatOutlook } from '../limits/format.ts';
import { print, printInfo, printJson } from '../output.ts';
import { inFlags, optionsOf } from '../run/options.ts';
import { promptOf } from '../run/prompt.ts';
import { amuxCommandLine } from '../run/summary-lines.ts';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { shortFolder } from './format.ts';
import { NOT_DETACHED } from './new-flags.ts';
import { withDaemon } from './open.ts';
import { uploadFiles } from './upload.ts';

/** `amux run --detach`, the same as `amux new`. */
export async function detachRun(args: ParsedArgs): Promise<number> {
  for (const flag of NOT_DETACHED) {
    if (args.flags[flag] === undefined) continue;
    const hint =
      flag === 'resume' || flag === 'continue'
        ? 'run "amux restore ID" to import a stored session'
        : flag === 'fork'
          ? 'run "amux restore ID", then "amux fork ID"'
          : 'run "amux new --help" to list supported flags';
    throw new UsageError(`--${flag} and --detach are mutually exclusive`, hint);
  }
  return startSession(args);
}

export async function startSession(args: ParsedArgs): Promise<number> {
  try {
    const { session: wanted, attachments } = await readNewSession(args);
    return await withDaemon(async (daemon) => {
      const session = hasFlag(args, 'terminal')
        ? await createInTerminal(daemon, wanted, attachments)
        : await daemon.sessions.create({
            ...wanted,
            hostEnv: ownEnvironment(),
            files: await uploadFiles(daemon, attachments),
          });
      if (session.waitingFor && !hasFlag(args, 'json'))
        printInfo(`${session.waitingFor.message}; ${formatOutlook(session, Date.now())}`);
      if (hasFlag(args, 'json')) return printJson<'new'>(session);
      print(session.id);
      printNextSteps(session.id.slice(0, 8), `${session.agent} in ${shortFolder(session.cwd, process.env.HOME, 60)}`);
      return EXIT.ok;
    });
  } catch (error) {
    throw inFlags(error);
  }
}

/** Types the prompt into the terminal. Options the agent's terminal does not support are rejected before anything is created. */
async function createInTerminal(
  daemon: DaemonClient,
  { prompt, ...wanted }: NewSession,
  attachments: readonly string[],
): Promise<Session> {
  if (attachments.length > 0)
    throw new UsageError('--attach and --terminal are mutually exclusive', 'name the file in the prompt instead');
  const { columns: cols = 100, rows = 30 } = process.stdout;
  const { id } = await daemon.sessions.create({ ...wanted, hostEnv: ownEnvironment() });
  try {
    return await daemon.terminals.open(id, { cols, rows, ...(prompt === undefined ? {} : { prompt }) });
  } catch (error) {
    await daemon.sessions.remove(id).catch(() => undefined);
    throw error;
  }
}

/** The session described by the flags and arguments of `amux new`; attachments are still to be uploaded. */
export async function readNewSession(args: ParsedArgs): Promise<{ session: NewSession; attachments: string[] }> {
  const { cwd, env, attachments = [], tags, ...options } = optionsOf(args);
  const agent = await agentOf(args, { cwd });
  const prompt = await promptOf(args, false);
  const profile = stringFlag(args, 'profile');
  const title = stringFlag(args, 'title');
  const session: NewSession = {
    agent,
    cwd: resolve(cwd ?? '.'),
    ...(prompt.trim() === '' ? {} : { prompt }),
    ...(title === undefined ? {} : { title }),
    options: { ...options, ...(profile === undefined ? {} : { profile }) },
    env: { ...env },
    worktree: worktreeOf(args),
    trustProject: hasFlag(args, 'trust-project') || process.env.AMUX_TRUST_PROJECT === '1',
    tags: [...(tags ?? [])],
    ...limitOptions(args),
  };
  return { session, attachments: attachments.flatMap((file) => ('path' in file && file.path ? [file.path] : [])) };
}

/** The named agent, else the profile's, else AMUX_AGENT. */
async function agentOf(args: ParsedArgs, { cwd }: Partial<RunOptions>): Promise<string> {
  const named = stringFlag(args, 'agent');
  if (named !== undefined) return named;
  const profile = stringFlag(args, 'profile');
  if (profile !== undefined) {
    const { loadConfig } = await import('@agent-mux/core');
    const { findProfile } = await import('../profiles/find-profile.ts');
    const { agent } = findProfile(profile, loadConfig({ cwd: resolve(cwd ?? '.') }).profiles);
    if (agent !== undefined) return agent;
  }
  const { AMUX_AGENT } = process.env;
  if (AMUX_AGENT) return AMUX_AGENT;
  throw new UsageError('missing --agent', 'run "amux agents" to list agents');
}

function worktreeOf(args: ParsedArgs): NonNullable<NewSession['worktree']> {
  const branch = stringFlag(args, 'branch');
  const base = stringFlag(args, 'base');
  if (branch === undefined && base === undefined) return hasFlag(args, 'worktree');
  return { ...(branch === undefined ? {} : { branch }), ...(base === undefined ? {} : { base }) };
}

function limitOptions(args: ParsedArgs): Pick<NewSession, 'onLimit' | 'budget'> {
  const onLimit = stringFlag(args, 'on-limit');
  const budget = stringFlag(args, 'budget');
  if (onLimit !== undefined && onLimit !== 'pause' && onLimit !== 'continue')
    throw new UsageError(`--on-limit: invalid value "${onLimit}"`, 'use pause or continue');
  return {
    ...(onLimit === undefined ? {} : { onLimit }),
    ...(budget === undefined ? {} : { budget: parseBudget(budget) }),
  };
}

/** Variables of this shell; the daemon may have been started from another one. */
function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Goes to stderr: stdout carries only the id. */
function printNextSteps(id: string, what: string): void {
  const { dim, cyan } = paint(process.stderr);
  if (!process.stderr.isTTY) return;
  const amux = shellCommand(amuxCommandLine());
  printInfo(dim(`  ${what}`));
  const steps = [
    [`${amux} attach ${id}`, 'Attach to it'],
    [`${amux} send ${id} "..."`, 'Send a message'],
    [`${amux} ps`, 'List sessions'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  for (const [command, about] of steps) printInfo(`  ${cyan(command.padEnd(width))}  ${dim(about)}`);
}
