import { ok, strictEqual } from 'node:assert/strict';
import {
  type AgentMode,
  CapabilityError,
  codecOf,
  findOptionIssues,
  isRecord,
  type ResolvedRunOptions,
  ValidationError,
} from '@agent-mux/core';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { HOSTILE, HOSTILE_CASES, type HostileCase } from '../hostile-cases.ts';
import { type LaunchPlan, launch } from '../launch.ts';
import { inSandbox, type Sandbox } from '../sandbox.ts';
import { optionsFor, type Subject } from '../subject.ts';

/**
 * No value becomes a flag, a second argument or a piece of a helper file. Each is compared with a harmless one: it is
 * refused by the name of its option, or the launch differs only in the value. Values with a leading dash are tried on
 * the adapter itself, although the engine would refuse most of them before.
 */
export function hostileValueChecks(subject: Subject): ContractCheck[] {
  return subject.modes.flatMap((mode) =>
    aboutTopic(`hostile values in mode "${mode.name}"`, (show) => {
      for (const each of HOSTILE_CASES) {
        if (!each.declared(mode.capabilities)) continue;
        show(`${each.name} stays one value, whatever it contains`, () => assertStaysOneValue(subject, mode, each));
      }
    }),
  );
}

async function assertStaysOneValue(subject: Subject, mode: AgentMode, each: HostileCase): Promise<void> {
  await inSandbox(async (place) => {
    const harmless = each.harmless(place, subject);
    const plain = launchOrRefusal(subject, mode, each, { value: harmless, place });
    for (const value of HOSTILE.flatMap((text) => [text, `${harmless}${text}`])) {
      const about = `${each.name} ${JSON.stringify(value.slice(0, 60))}`;
      const options = each.options(value, place, subject);
      const atTheBorder = findOptionIssues(options).some(({ field }) => names(field, each.option));
      if (atTheBorder && !value.startsWith('-')) continue;
      const tried = launchOrRefusal(subject, mode, each, { value, place });
      if (tried === 'refused') continue;
      ok(plain !== 'refused', `${about}: taken, although a harmless value is refused`);
      assertSameArguments(about, tried, plain, value);
      await assertSameFiles(about, tried, plain, harmless);
      assertSameSpeech(about, tried, plain, harmless);
    }
  });
}

function launchOrRefusal(
  subject: Subject,
  mode: AgentMode,
  each: HostileCase,
  { value, place }: { value: string; place: Sandbox },
): LaunchPlan | 'refused' {
  try {
    const options: Partial<ResolvedRunOptions> = each.options(value, place, subject);
    return launch(subject, mode, optionsFor(subject, mode, place, options));
  } catch (error) {
    const fields =
      error instanceof ValidationError
        ? error.issues.map(({ field }) => field)
        : error instanceof CapabilityError
          ? [error.option]
          : [];
    if (fields.some((field) => names(field, each.option))) return 'refused';
    throw error;
  }
}

function names(field: string, option: string): boolean {
  return field.split(/[.[]/)[0] === option || (option === 'systemPrompt' && field === 'systemPromptMode');
}

/** The same number of arguments, and the same flags at the same positions. */
function assertSameArguments(
  about: string,
  { spawn: tried }: LaunchPlan,
  { spawn: plain }: LaunchPlan,
  value: string,
): void {
  const shown = () => JSON.stringify(tried.args.map((arg) => arg.slice(0, 80)));
  strictEqual(tried.command, plain.command, `${about}: another command`);
  strictEqual(tried.args.length, plain.args.length, `${about}: another number of arguments: ${shown()}`);
  const end = plain.args.indexOf('--');
  tried.args.forEach((arg, i) => {
    ok(!arg.includes('\0'), `${about}: a NUL in an argument`);
    if (end !== -1 && i > end) return;
    strictEqual(flagIn(arg), flagIn(plain.args[i] ?? ''), `${about}: other flags: ${shown()}`);
    const bare = value.startsWith('-') && arg.startsWith(value);
    ok(!bare, `${about}: is a flag among the arguments: ${shown()}`);
    // A shell command is never made of values.
    if (plain.args[i - 1] === '-c' && /^(?:ba)?sh$/.test(plain.command)) strictEqual(arg, plain.args[i], about);
  });
  strictEqual(Object.keys(tried.env).join(), Object.keys(plain.env).join(), `${about}: other variables`);
}

function flagIn(arg: string): string {
  return /^-[^=]*/.exec(arg)?.[0] ?? '';
}

/** The same names, and the same structure if they have one. */
async function assertSameFiles(about: string, tried: LaunchPlan, plain: LaunchPlan, harmless: string): Promise<void> {
  const before = await structures(plain);
  const after = await structures(tried).catch((error: unknown) => {
    throw new Error(`${about}: what is written can no longer be read: ${error}`);
  });
  strictEqual(Object.keys(after).join(), Object.keys(before).join(), `${about}: other files or settings`);
  for (const [name, content] of Object.entries(after)) {
    ok(alike(content, before[name], harmless), `${about}: ${name} says something else: ${JSON.stringify(content)}`);
  }
}

/** Every structured helper file, JSON variable and `-c key=value`, parsed by its format. */
async function structures({ spawn }: LaunchPlan): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(spawn.files ?? {})) {
    const form = /\.(json|toml|ya?ml)$/.exec(name)?.[1];
    if (form === 'json') found[name] = JSON.parse(text);
    else if (form === 'toml') found[name] = (await codecOf('toml')).parse(text);
    else if (form !== undefined) found[name] = (await codecOf('yaml')).parse(text);
    else found[name] = 'a text';
  }
  for (const [name, value] of Object.entries(spawn.env)) if (/^[{[]/.test(value)) found[name] = JSON.parse(value);
  for (const [i, arg] of spawn.args.entries()) {
    if (spawn.args[i - 1] === '-c' && !/sh$/.test(spawn.command))
      found[`argument ${i}`] = (await codecOf('toml')).parse(arg);
  }
  return found;
}

/** Messages of the protocol: the same number, each of the same structure. */
function assertSameSpeech(
  about: string,
  { said: tried }: LaunchPlan,
  { said: plain }: LaunchPlan,
  harmless: string,
): void {
  strictEqual(tried.length, plain.length, `${about}: another number of messages`);
  tried.forEach((message, i) => {
    const before = plain[i];
    if (typeof before === 'string' && !before.startsWith('{')) return;
    ok(
      typeof message !== 'string' || !message.trimEnd().includes('\n'),
      `${about}: a message is broken in two: ${message}`,
    );
    ok(
      alike(read(message), read(before), harmless),
      `${about}: a message says something else: ${JSON.stringify(message)}`,
    );
  });
}

function read(message: unknown): unknown {
  return typeof message === 'string' ? JSON.parse(message) : message;
}

/** The same structure; texts and names may differ only where the other has the harmless value, or a part of it. */
function alike(tried: unknown, plain: unknown, harmless: string): boolean {
  if (typeof tried === 'string' && typeof plain === 'string') {
    return tried === plain || isOf(plain, harmless);
  }
  if (Array.isArray(tried) && Array.isArray(plain)) {
    return tried.length === plain.length && tried.every((item, i) => alike(item, plain[i], harmless));
  }
  if (isRecord(tried) && isRecord(plain)) {
    const [keys, others] = [Object.keys(tried), Object.keys(plain)];
    return (
      keys.length === others.length &&
      keys.every((key, i) => {
        const other = others[i] ?? '';
        return (key === other || isOf(other, harmless)) && alike(tried[key], plain[other], harmless);
      })
    );
  }
  return Object.is(tried, plain);
}

function isOf(text: string, harmless: string): boolean {
  return text.includes(harmless) || (text !== '' && harmless.includes(text));
}
