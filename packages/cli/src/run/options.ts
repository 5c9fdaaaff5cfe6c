import { resolve } from 'node:path';
import {
  AgentMuxError,
  CapabilityError,
  type Fault,
  messageOf,
  parseDuration,
  type RunOptions,
  ValidationError,
} from '@agent-mux/core';
import { faultsOf, RunSettingsSchema } from '@agent-mux/core/schemas';
import { type Given, isOn, textFlag } from '../command.ts';
import { parseTarget } from '../remote/target.ts';
import { UsageError } from '../usage-error.ts';
import { flagOf, type Reading, type RunFlag, runFlags } from './flags.ts';
import { readText } from './read-text.ts';
import { readVariable } from './variables.ts';

/** Run options out of the flags. Every fault of them is said at once, by the flag's name. */
export function optionsOf(given: Given): Partial<RunOptions> {
  const options: Record<string, unknown> = {};
  for (const [name, flag] of runFlags()) {
    const value = given.flags[name];
    if (value === undefined || flag.option === undefined) continue;
    options[flag.option] = read(`--${name}`, flag, value);
  }
  if (isOn(given, 'yolo')) {
    if (options.approvalMode !== undefined && options.approvalMode !== 'yolo') {
      throw new UsageError(`--yolo contradicts --approval-mode ${options.approvalMode}`, 'give one of them');
    }
    options.approvalMode = 'yolo';
  }
  const target = textFlag(given, 'on');
  if (target !== undefined) {
    if (options.invocation !== undefined)
      throw new UsageError('--on and --invocation say the same', 'give one of them');
    options.invocation = parseTarget(target);
  }
  const retries = textFlag(given, 'retries');
  if (retries !== undefined) {
    options.retryPolicy = { ...asRecord(options.retryPolicy), maxRetries: readNumber('--retries', retries) };
  }
  const parsed = RunSettingsSchema.safeParse(options);
  if (!parsed.success) throw inFlags(new ValidationError('run options', faultsOf(parsed.error)));
  return parsed.data;
}

/** The same error in the words of the command line. */
export function inFlags(error: unknown): unknown {
  if (error instanceof ValidationError) {
    return new UsageError(error.faults.map(faultText).join('; '), error.hint ?? 'amux run --help explains the flags');
  }
  if (error instanceof CapabilityError) {
    const flag = flagOf(error.option);
    const message = error.message.replace(/ ?\(option \w+\)/, flag ? ` (${flag})` : '');
    const hint = error.hint ?? `amux capabilities ${error.agent} says what it can`;
    return new AgentMuxError('CAPABILITY_ERROR', message, { agent: error.agent, hint });
  }
  return error;
}

function faultText({ field, problem }: Fault): string {
  const [option = '', ...rest] = field.split(/(?=[.[])/);
  return `${flagOf(option) ?? option}${rest.join('')}: ${problem}`.replace(/^: /, '');
}

type Value = string | boolean | readonly string[];

function read(name: string, flag: RunFlag, value: Value): unknown {
  const texts = typeof value === 'string' ? [value] : typeof value === 'boolean' ? [] : value;
  const [text = ''] = texts;
  return READERS[flag.reading ?? 'text'](name, text, texts);
}

const READERS: Readonly<Record<Reading, (name: string, text: string, texts: readonly string[]) => unknown>> = {
  on: () => true,
  text: (_, text) => text,
  number: readNumber,
  duration: readDuration,
  json: readJson,
  path: (_, text) => resolve(text),
  list: (_, __, texts) => [...texts],
  paths: (_, __, texts) => texts.map((path) => resolve(path)),
  attachments: (_, __, texts) => texts.map((path) => ({ path: resolve(path) })),
  variables: (name, _, texts) => Object.fromEntries(texts.map((entry) => readVariable(name, entry))),
  mcp: (name, text) => {
    const servers = readJson(name, text);
    // The form in which MCP servers stand in the configuration of most agents.
    return asRecord(servers).mcpServers ?? servers;
  },
};

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new UsageError(`${name}: "${text}" is not a number`);
  return number;
}

function readDuration(name: string, text: string): number {
  const ms = text === '0' ? 0 : parseDuration(text);
  if (ms === undefined) throw new UsageError(`${name}: "${text}" is not a duration`, 'write 500ms, 90s, 5m or 1h30m');
  return ms;
}

function readJson(name: string, text: string): unknown {
  const source = text.startsWith('@') ? readText(name, text.slice(1)) : text;
  try {
    return JSON.parse(source);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`${name}: not valid JSON: ${reason}`, `@FILE reads it from a file`);
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
