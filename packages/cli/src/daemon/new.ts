import { resolve } from 'node:path';
import type { NewSession } from '@agent-mux/api';
import type { RunOptions } from '@agent-mux/core';
import { shellCommand } from '@agent-mux/core/light';
import { type Given, isOn, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { parseBudget } from '../limits/budget.ts';
import { outlook } from '../limits/outlook.ts';
import { print, printJson, tell } from '../output.ts';
import { ownCommand } from '../run/closing.ts';
import { inFlags, optionsOf } from '../run/options.ts';
import { promptOf } from '../run/prompt.ts';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { NOT_DETACHED } from './new-flags.ts';
import { withDaemon } from './open.ts';
import { uploadFiles } from './upload.ts';
import { shortFolder } from './words.ts';

/** `amux run --detach`: the same as `amux new`. */
export async function detachRun(given: Given): Promise<number> {
  for (const flag of NOT_DETACHED) {
    if (given.flags[flag] === undefined) continue;
    const hint =
      flag === 'resume' || flag === 'continue'
        ? 'amux restore ID makes a stored session one that stays'
        : flag === 'fork'
          ? 'amux restore ID, then amux fork ID'
          : 'amux new --help lists the flags of a session that stays';
    throw new UsageError(`--${flag} contradicts --detach`, hint);
  }
  return beginSession(given);
}

export async function beginSession(given: Given): Promise<number> {
  try {
    const { session: wanted, attachments } = await readNewSession(given);
    return await withDaemon(async (daemon) => {
      const files = await uploadFiles(daemon, attachments);
      const session = await daemon.sessions.create({ ...wanted, hostEnv: ownEnvironment(), files });
      if (session.waitsFor && !isOn(given, 'json'))
        tell(`${session.waitsFor.message}; ${outlook(session, Date.now())}`);
      if (isOn(given, 'json')) return printJson<'new'>(session);
      print(session.id);
      tellNext(session.id.slice(0, 8), `${session.agent} in ${shortFolder(session.cwd, process.env.HOME, 60)}`);
      return EXIT.ok;
    });
  } catch (error) {
    throw inFlags(error);
  }
}

/** What the flags and words of `amux new` ask for; the files that go along are still to be handed in. */
export async function readNewSession(given: Given): Promise<{ session: NewSession; attachments: string[] }> {
  const { cwd, env, attachments = [], tags, ...options } = optionsOf(given);
  const agent = await agentOf(given, { cwd });
  const prompt = await promptOf(given, false);
  const profile = textFlag(given, 'profile');
  const title = textFlag(given, 'title');
  const session: NewSession = {
    agent,
    cwd: resolve(cwd ?? '.'),
    ...(prompt.trim() === '' ? {} : { prompt }),
    ...(title === undefined ? {} : { title }),
    options: { ...options, ...(profile === undefined ? {} : { profile }) },
    env: { ...env },
    worktree: worktreeOf(given),
    trustProject: isOn(given, 'trust-project') || process.env.AMUX_TRUST_PROJECT === '1',
    tags: [...(tags ?? [])],
    ...governedBy(given),
  };
  return { session, attachments: attachments.flatMap((file) => ('path' in file && file.path ? [file.path] : [])) };
}

/** The one that is named, else the profile's, else AMUX_AGENT. */
async function agentOf(given: Given, { cwd }: Partial<RunOptions>): Promise<string> {
  const named = textFlag(given, 'agent');
  if (named !== undefined) return named;
  const profile = textFlag(given, 'profile');
  if (profile !== undefined) {
    const { loadConfig } = await import('@agent-mux/core');
    const { findProfile } = await import('../profiles/find-profile.ts');
    const { agent } = findProfile(profile, loadConfig({ cwd: resolve(cwd ?? '.') }).profiles);
    if (agent !== undefined) return agent;
  }
  const { AMUX_AGENT } = process.env;
  if (AMUX_AGENT) return AMUX_AGENT;
  throw new UsageError('which agent? Say --agent NAME', 'amux agents lists them');
}

function worktreeOf(given: Given): NonNullable<NewSession['worktree']> {
  const branch = textFlag(given, 'branch');
  const base = textFlag(given, 'base');
  if (branch === undefined && base === undefined) return isOn(given, 'worktree');
  return { ...(branch === undefined ? {} : { branch }), ...(base === undefined ? {} : { base }) };
}

function governedBy(given: Given): Pick<NewSession, 'onLimit' | 'budget'> {
  const onLimit = textFlag(given, 'on-limit');
  const budget = textFlag(given, 'budget');
  if (onLimit !== undefined && onLimit !== 'stop' && onLimit !== 'wait')
    throw new UsageError(`--on-limit does not understand "${onLimit}"`, 'say stop or wait');
  return {
    ...(onLimit === undefined ? {} : { onLimit }),
    ...(budget === undefined ? {} : { budget: parseBudget(budget) }),
  };
}

/** The agent finds what this shell has; the daemon may have been started from another one. */
function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Beside the id, which a program may want alone. */
function tellNext(id: string, what: string): void {
  const { dim, cyan } = paint(process.stderr);
  if (!process.stderr.isTTY) return;
  const amux = shellCommand(ownCommand());
  tell(dim(`  ${what}`));
  const steps = [
    [`${amux} attach ${id}`, 'watch it and talk to it'],
    [`${amux} send ${id} "..."`, 'say something'],
    [`${amux} ps`, 'all sessions'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  for (const [command, about] of steps) tell(`  ${cyan(command.padEnd(width))}  ${dim(about)}`);
}
