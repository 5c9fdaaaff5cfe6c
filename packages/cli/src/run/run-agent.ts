import { fstatSync } from 'node:fs';
import type { ConfiguredClient } from '@agent-mux/adapters/client';
import { modeOf, type RunOptions, type RunResult } from '@agent-mux/core';
import { requireAmuxOnPath } from '../amux-on-path.ts';
import { onBrokenPipe } from '../broken-pipe.ts';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printFailure } from '../failure.ts';
import { openClient } from '../open-client.ts';
import { printInfo } from '../output.ts';
import { rememberAnswers } from '../policy/remembering.ts';
import { Footer } from '../screen/footer.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { Screen } from '../screen/screen.ts';
import { formatAge, titleOf } from '../sessions/format.ts';
import { UsageError } from '../usage-error.ts';
import { type Chosen, chooseSession } from './choose-session.ts';
import { Conversation, firstMessage } from './conversation.ts';
import { drive } from './drive.ts';
import { Interrupts } from './interrupts.ts';
import { inFlags, optionsOf } from './options.ts';
import { failureOfRun, unansweredFailure } from './outcome.ts';
import { promptOf } from './prompt.ts';
import { UserPrompter } from './prompt-user.ts';
import { AllowAll, DenyAll, type RequestHandler } from './request-handlers.ts';
import { closingLines, resumeFlags } from './summary-lines.ts';
import { showWaiting } from './terminal/show-waiting.ts';
import { linesOfStdin, openTerminal, type Terminal } from './terminal/terminal.ts';
import { UserTerminal } from './terminal/user-terminal.ts';
import { TextView } from './text-view.ts';
import { JsonView } from './view.ts';

/** `amux run`: parses flags, runs the agent, returns the exit code. */
export async function runAgent(args: ParsedArgs): Promise<number> {
  if (hasFlag(args, 'detach')) {
    if (hasFlag(args, 'no-policy')) {
      throw new UsageError(
        '--no-policy and --detach are mutually exclusive',
        'use "amux policy" to change the rules of background sessions',
      );
    }
    const { detachRun } = await import('../daemon/new.ts');
    return detachRun(args);
  }
  const json = hasFlag(args, 'json');
  const quiet = hasFlag(args, 'quiet');
  for (const flag of ['title', 'worktree', 'branch', 'base', 'on-limit', 'budget']) {
    if (args.flags[flag] !== undefined) throw new UsageError(`--${flag} requires --detach`, 'or use "amux new"');
  }
  if (hasFlag(args, 'raw') && !json) throw new UsageError('--raw requires --json');
  const options = optionsOf(args);
  const client = await openClient(args, {
    cwd: options.cwd,
    ...(hasFlag(args, 'no-policy') ? { rules: 'tighten' as const } : {}),
  });
  const person = openTerminal();
  const turns = options.interactive ? (person ?? linesOfStdin()) : undefined;
  try {
    const profile = stringFlag(args, 'profile');
    const chosen = await chooseSession(args, client, options);
    client.adapters.get(chosen.agent);
    if (!json && !quiet) announce(chosen, stringFlag(args, 'agent') !== undefined);
    const prompt = (await promptOf(args, turns !== undefined && !person)) || (await firstOf(turns));
    if (chosen.options.hooks) requireAmuxOnPath(process.env, { lasting: false });
    const run = { ...chosen.options, agent: chosen.agent, prompt, ...(profile === undefined ? {} : { profile }) };
    return await showRun(client, run, { json, quiet, person, turns, resumeFlags: resumeFlags(args) });
  } catch (error) {
    throw inFlags(error);
  } finally {
    await client.close();
    person?.close();
    turns?.close();
  }
}

/** Prompts for the first message if the command line has none. */
async function firstOf(turns: Terminal | undefined): Promise<string> {
  const isTyped = turns instanceof UserTerminal && !turns.isPlain;
  const first = isTyped ? await firstMessage(turns) : await turns?.ask('› ');
  if (first?.trim()) return first;
  throw new UsageError('missing prompt', 'pass it as an argument, with --file FILE, or pipe it in');
}

/** Says which session is resumed if the user did not name it exactly. */
function announce({ session, options }: Chosen, isNamed: boolean): void {
  if (!session) return;
  const { dim, yellow } = paint(process.stderr);
  const { agent, sessionId, cwd, updatedAt } = session;
  const id = toOneLine(sessionId, 200);
  const ago = updatedAt === undefined ? '' : `, ${formatAge(updatedAt, Date.now())} ago`;
  const verb = options.forkSessionId === undefined ? 'resuming' : 'forking';
  if (!isNamed || id !== sessionId)
    printInfo(dim(`  ${verb} ${agent} session ${id}${ago}: ${toOneLine(titleOf(session), 80)}`));
  const here = options.cwd ?? process.cwd();
  if (cwd !== undefined && cwd !== here)
    printInfo(`${yellow('!')} its folder is ${toOneLine(cwd, 200)}; use -C to run there`);
}

export interface Showing {
  json: boolean;
  quiet?: boolean;
  /** Undefined without a terminal. */
  person: UserTerminal | undefined;
  turns?: Terminal;
  /** Flags needed to resume the session. */
  resumeFlags?: readonly string[];
  /** Demo: prints everything on stdout and, without a terminal, allows everything. */
  demonstration?: boolean;
  /** Called between the answer and the closing lines. */
  beforeClosing?: (screen: Screen, result: RunResult) => void;
}

/** Starts a run, shows it, handles its requests and reports how it ended. */
export async function showRun(client: ConfiguredClient, options: RunOptions, showing: Showing): Promise<number> {
  const { json, quiet, person, turns } = showing;
  const handle = client.run(options);
  const adapter = client.adapters.get(handle.agent);
  const sideOutput = showing.demonstration && !json ? process.stdout : process.stderr;
  const footer = person?.footer ?? (process.stderr.isTTY ? new Footer(process.stderr) : undefined);
  const screen = new Screen(json ? process.stderr : process.stdout, sideOutput, { quiet: quiet || json, footer });
  if (person) person.echo = (line) => screen.loud(line);
  const text = new TextView(screen, { debug: options.debug ?? false, interactive: turns !== undefined });
  const say = (line: string) => {
    const text = `amux: ${toOneLine(line, 500)}`;
    // In a pipe, a message is a single line.
    for (const row of process.stderr.isTTY ? screen.rows(text, '') : [text]) screen.loud(screen.paint.yellow(row));
  };
  const mode = modeOf(adapter, handle.mode);
  const answerer: RequestHandler = person
    ? new UserPrompter({
        answers: rememberAnswers(handle, client.rules, options, say),
        terminal: person,
        screen,
        tools: text.tools,
        name: adapter.displayName,
      })
    : showing.demonstration
      ? new AllowAll(handle, say)
      : new DenyAll(handle, say);
  const interrupts = new Interrupts(handle, mode.capabilities.supportsInterrupt, say);
  const waiting =
    json || quiet || !footer || isPiped() ? undefined : showWaiting(footer, person, adapter.displayName, screen.paint);
  const view = json ? new JsonView(text.tools, (line) => printSideOutput(footer, line)) : text;
  let lostOutput: number | undefined;
  onBrokenPipe((code) => {
    lostOutput = code === EXIT.ok ? EXIT.aborted : code;
    void handle.abort('output can no longer be written').catch(() => {});
  });
  // A program that reads the output may own the terminal.
  if (waiting && !turns && process.stdout.isTTY) person?.hush();
  const { supportsSteer } = mode.capabilities;
  const isTyped = turns instanceof UserTerminal && !turns.isPlain;
  const result = await drive(handle, {
    view,
    answerer,
    interrupts,
    waiting,
    turns: isTyped
      ? new Conversation({ handle, terminal: turns, screen, interrupts, waiting, canSteer: supportsSteer })
      : turns,
  });
  person?.close();
  footer?.clear();
  if (lostOutput !== undefined) return lostOutput;
  view.finish(result);
  screen.space();
  showing.beforeClosing?.(screen, result);
  const notAsked = answerer.notAsked ?? 0;
  const failure =
    failureOfRun(result, adapter, options.retryPolicy) ??
    (notAsked > 0 ? unansweredFailure(result, adapter, notAsked) : undefined);
  if (!json && !quiet) {
    const width = process.stderr.isTTY ? screen.width : Number.POSITIVE_INFINITY;
    const lines = closingLines(result, adapter, screen.paint, { flags: showing.resumeFlags ?? [], width });
    for (const line of lines) screen.line(line);
  }
  // Interrupting the last turn of a conversation and exiting is not a failure.
  if (!failure || (turns && result.exitReason === 'interrupted')) return EXIT.ok;
  printFailure(failure);
  return failure.exitCode;
}

/** The reader of the output may write to the same terminal, in the middle of the status line. */
function isPiped(): boolean {
  try {
    const stdout = fstatSync(1);
    return stdout.isFIFO() || stdout.isSocket();
  } catch {
    return false;
  }
}

/** If stdout is the same terminal, prompts must stay intact. */
function printSideOutput(footer: Footer | undefined, line: string): void {
  if (footer && process.stdout.isTTY) footer.write(process.stdout, line);
  else process.stdout.write(line);
}
