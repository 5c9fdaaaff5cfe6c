import { fstatSync } from 'node:fs';
import type { ConfiguredClient } from '@agent-mux/adapters/client';
import { modeOf, type RunOptions, type RunResult } from '@agent-mux/core';
import { requireAmuxOnPath } from '../amux-on-path.ts';
import { onBrokenPipe } from '../broken-pipe.ts';
import { type Given, isOn, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { tellFailure } from '../failure.ts';
import { openClient } from '../open-client.ts';
import { tell } from '../output.ts';
import { rememberAnswers } from '../policy/remembering.ts';
import { Footer } from '../screen/footer.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { Screen } from '../screen/screen.ts';
import { age, titleOf } from '../sessions/words.ts';
import { UsageError } from '../usage-error.ts';
import { AskingPerson } from './ask-person.ts';
import { Agreeing, type Answerer, Refusing } from './asking.ts';
import { type Chosen, chooseSession } from './choose-session.ts';
import { closingLines, goOnFlags } from './closing.ts';
import { Conversation, firstMessage } from './conversation.ts';
import { drive } from './drive.ts';
import { Interrupts } from './interrupts.ts';
import { inFlags, optionsOf } from './options.ts';
import { failureOfNotAsking, failureOfRun } from './outcome.ts';
import { promptOf } from './prompt.ts';
import { PersonTerminal } from './terminal/person-terminal.ts';
import { showWaiting } from './terminal/show-waiting.ts';
import { linesOfStdin, openTerminal, type Terminal } from './terminal/terminal.ts';
import { TextView } from './text-view.ts';
import { JsonView } from './view.ts';

/** `amux run`: from flags to an exit code. */
export async function runAgent(given: Given): Promise<number> {
  if (isOn(given, 'detach')) {
    if (isOn(given, 'no-policy')) {
      throw new UsageError(
        '--no-policy contradicts --detach',
        'rules of a session that stays are taken out by amux policy',
      );
    }
    const { detachRun } = await import('../daemon/new.ts');
    return detachRun(given);
  }
  const json = isOn(given, 'json');
  const quiet = isOn(given, 'quiet');
  for (const flag of ['title', 'worktree', 'branch', 'base', 'on-limit', 'budget']) {
    if (given.flags[flag] !== undefined) throw new UsageError(`--${flag} needs --detach`, 'amux new takes it too');
  }
  if (isOn(given, 'raw') && !json) throw new UsageError('--raw needs --json: events carry the raw lines');
  const options = optionsOf(given);
  const client = await openClient(given, {
    cwd: options.cwd,
    ...(isOn(given, 'no-policy') ? { rules: 'tighten' as const } : {}),
  });
  const person = openTerminal();
  const turns = options.interactive ? (person ?? linesOfStdin()) : undefined;
  try {
    const profile = textFlag(given, 'profile');
    const chosen = await chooseSession(given, client, options);
    client.adapters.get(chosen.agent);
    if (!json && !quiet) announce(chosen, textFlag(given, 'agent') !== undefined);
    const prompt = (await promptOf(given, turns !== undefined && !person)) || (await firstOf(turns));
    if (chosen.options.hooks) requireAmuxOnPath(process.env, { lasting: false });
    const run = { ...chosen.options, agent: chosen.agent, prompt, ...(profile === undefined ? {} : { profile }) };
    return await showRun(client, run, { json, quiet, person, turns, goOn: goOnFlags(given) });
  } catch (error) {
    throw inFlags(error);
  } finally {
    await client.close();
    person?.close();
    turns?.close();
  }
}

/** What a conversation begins with where nothing was said on the command line. */
async function firstOf(turns: Terminal | undefined): Promise<string> {
  const isTyped = turns instanceof PersonTerminal && !turns.isPlain;
  const first = isTyped ? await firstMessage(turns) : await turns?.ask('› ');
  if (first?.trim()) return first;
  throw new UsageError('there is no prompt', 'amux run -a demo "say hello", or --file FILE, or pipe it in');
}

/** Which session goes on, where a person could not know it. */
function announce({ session, options }: Chosen, isNamed: boolean): void {
  if (!session) return;
  const { dim, yellow } = paint(process.stderr);
  const { agent, sessionId, cwd, updatedAt } = session;
  const id = toOneLine(sessionId, 200);
  const ago = updatedAt === undefined ? '' : `, ${age(updatedAt, Date.now())} ago`;
  const verb = options.forkSessionId === undefined ? 'going on with' : 'a copy of';
  if (!isNamed || id !== sessionId)
    tell(dim(`  ${verb} ${agent} session ${id}${ago}: ${toOneLine(titleOf(session), 80)}`));
  const here = options.cwd ?? process.cwd();
  if (cwd !== undefined && cwd !== here) tell(`${yellow('!')} it was held in ${toOneLine(cwd, 200)}; -C goes there`);
}

export interface Showing {
  json: boolean;
  quiet?: boolean;
  /** Undefined: nobody can be asked. */
  person: PersonTerminal | undefined;
  turns?: Terminal;
  /** Flags without which the session cannot be gone on with. */
  goOn?: readonly string[];
  /** A demonstration: all of it on stdout, and without a person everything is allowed instead of refused. */
  demonstration?: boolean;
  /** Said between the answer and the closing lines. */
  beforeClosing?: (screen: Screen, result: RunResult) => void;
}

/** Starts a run, shows it, asks what it asks, and says how it ended. */
export async function showRun(client: ConfiguredClient, options: RunOptions, showing: Showing): Promise<number> {
  const { json, quiet, person, turns } = showing;
  const handle = client.run(options);
  const adapter = client.adapters.get(handle.agent);
  const beside = showing.demonstration && !json ? process.stdout : process.stderr;
  const footer = person?.footer ?? (process.stderr.isTTY ? new Footer(process.stderr) : undefined);
  const screen = new Screen(json ? process.stderr : process.stdout, beside, { quiet: quiet || json, footer });
  if (person) person.echo = (line) => screen.loud(line);
  const text = new TextView(screen, { debug: options.debug ?? false, interactive: turns !== undefined });
  const say = (line: string) => {
    const text = `amux: ${toOneLine(line, 500)}`;
    // In a pipe a message is one line.
    for (const row of process.stderr.isTTY ? screen.rows(text, '') : [text]) screen.loud(screen.paint.yellow(row));
  };
  const mode = modeOf(adapter, handle.mode);
  const answerer: Answerer = person
    ? new AskingPerson({
        answers: rememberAnswers(handle, client.rules, options, say),
        terminal: person,
        screen,
        tools: text.tools,
        name: adapter.displayName,
      })
    : showing.demonstration
      ? new Agreeing(handle, say)
      : new Refusing(handle, say);
  const interrupts = new Interrupts(handle, mode.capabilities.supportsInterrupt, say);
  const waiting =
    json || quiet || !footer || isPiped() ? undefined : showWaiting(footer, person, adapter.displayName, screen.paint);
  const view = json ? new JsonView(text.tools, (line) => printBeside(footer, line)) : text;
  let lostOutput: number | undefined;
  onBrokenPipe((code) => {
    lostOutput = code === EXIT.ok ? EXIT.aborted : code;
    void handle.abort('the output cannot be written any more').catch(() => {});
  });
  // A program that reads the output may have the terminal for itself.
  if (waiting && !turns && process.stdout.isTTY) person?.hush();
  const { supportsSteer } = mode.capabilities;
  const isTyped = turns instanceof PersonTerminal && !turns.isPlain;
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
    (notAsked > 0 ? failureOfNotAsking(result, adapter, notAsked) : undefined);
  if (!json && !quiet) {
    const width = process.stderr.isTTY ? screen.width : Number.POSITIVE_INFINITY;
    const lines = closingLines(result, adapter, screen.paint, { flags: showing.goOn ?? [], width });
    for (const line of lines) screen.line(line);
  }
  // A person who interrupted the last turn of a conversation and left has not failed.
  if (!failure || (turns && result.exitReason === 'interrupted')) return EXIT.ok;
  tellFailure(failure);
  return failure.exitCode;
}

/** Whoever reads the output may write to the same terminal, in the middle of a waiting line. */
function isPiped(): boolean {
  try {
    const stdout = fstatSync(1);
    return stdout.isFIFO() || stdout.isSocket();
  } catch {
    return false;
  }
}

/** Where stdout leads to the terminal too, what is asked there must stay whole. */
function printBeside(footer: Footer | undefined, line: string): void {
  if (footer && process.stdout.isTTY) footer.write(process.stdout, line);
  else process.stdout.write(line);
}
