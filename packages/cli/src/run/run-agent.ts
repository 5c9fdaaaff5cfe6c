import type { ConfiguredClient } from '@agent-mux/adapters';
import { modeOf, type RunOptions, type RunResult, unknownProfile } from '@agent-mux/core';
import { onBrokenPipe } from '../broken-pipe.ts';
import { type Given, isOn, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { reportFailure } from '../failure.ts';
import { openClient } from '../open-client.ts';
import { oneLine } from '../screen/plain.ts';
import { Screen } from '../screen/screen.ts';
import { UsageError } from '../usage-error.ts';
import { AskingPerson } from './ask-person.ts';
import { Agreeing, type Answerer, Refusing } from './asking.ts';
import { closingLines } from './closing.ts';
import { drive } from './drive.ts';
import { Interrupts } from './interrupts.ts';
import { inFlags, optionsOf } from './options.ts';
import { failureOfRun } from './outcome.ts';
import { promptOf } from './prompt.ts';
import { linesOfStdin, onScreen, openTerminal, type Terminal } from './terminal.ts';
import { TextView } from './text-view.ts';
import { JsonView } from './view.ts';

/** `amux run`: from flags to an exit code. */
export async function runAgent(given: Given): Promise<number> {
  const json = isOn(given, 'json');
  if (isOn(given, 'raw') && !json) throw new UsageError('--raw needs --json: events carry the raw lines');
  const options = optionsOf(given);
  const client = await openClient(given, { cwd: options.cwd });
  const person = openTerminal();
  const turns = options.interactive ? (person ?? linesOfStdin()) : undefined;
  try {
    const profile = textFlag(given, 'profile');
    const agent = agentOf(given, client, profile);
    const prompt = await promptOf(given, turns);
    const run = { ...options, agent, prompt, ...(profile === undefined ? {} : { profile }) };
    return await showRun(client, run, { json, quiet: isOn(given, 'quiet'), person, turns });
  } catch (error) {
    throw inFlags(error);
  } finally {
    await client.close();
    person?.close();
    turns?.close();
  }
}

export interface Showing {
  json: boolean;
  quiet?: boolean;
  /** Undefined: nobody can be asked. */
  person: Terminal | undefined;
  turns?: Terminal;
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
  const screen = new Screen(json ? process.stderr : process.stdout, beside, { quiet: quiet || json });
  const text = new TextView(screen, { debug: options.debug ?? false, interactive: turns !== undefined });
  const say = (line: string) => screen.loud(screen.paint.yellow(`amux: ${oneLine(line, 500)}`));
  const mode = modeOf(adapter, handle.mode);
  const answerer: Answerer = person
    ? new AskingPerson({ answers: handle, terminal: person, screen, tools: text.tools, name: adapter.displayName })
    : showing.demonstration
      ? new Agreeing(handle, say)
      : new Refusing(handle, say);
  const interrupts = new Interrupts(handle, mode.capabilities.supportsInterrupt, say);
  const view = json ? new JsonView(text.tools) : text;
  let lostOutput: number | undefined;
  onBrokenPipe((code) => {
    lostOutput = code === EXIT.ok ? EXIT.aborted : code;
    void handle.abort('the output cannot be written any more').catch(() => {});
  });
  const result = await drive(handle, {
    view,
    answerer,
    interrupts,
    ...(turns ? { turns: person ? onScreen(turns, screen) : turns } : {}),
  });
  if (lostOutput !== undefined) return lostOutput;
  view.finish(result);
  screen.space();
  showing.beforeClosing?.(screen, result);
  const failure = failureOfRun(result, adapter);
  if (!json && !quiet) for (const line of closingLines(result, adapter, screen.paint)) screen.line(line);
  // A person who interrupted the last turn of a conversation and left has not failed.
  if (!failure || (turns && result.exitReason === 'interrupted')) return EXIT.ok;
  reportFailure(failure, false);
  return failure.exitCode;
}

function agentOf(given: Given, client: ConfiguredClient, profile: string | undefined): string {
  const { profiles } = client;
  if (profile !== undefined && !Object.hasOwn(profiles, profile)) {
    throw new UsageError(`--profile: ${unknownProfile(profile, Object.keys(profiles))}`, 'amux profiles lists them');
  }
  const preset = profile === undefined ? undefined : profiles[profile]?.agent;
  const agent = textFlag(given, 'agent') ?? preset ?? process.env.AMUX_AGENT;
  if (agent) return agent;
  const known = client.adapters.list().map((info) => info.agent);
  throw new UsageError('which agent? Say --agent NAME', `there are: ${known.join(', ')}`);
}
