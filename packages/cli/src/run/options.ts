import { resolve } from 'node:path';
import {
  AgentMuxError,
  CapabilityError,
  messageOf,
  parseDuration,
  type RunOptions,
  ValidationError,
  type ValidationIssue,
} from '@agent-mux/core';
import { issuesOf, RunSettingsSchema } from '@agent-mux/core/schemas';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { parseTarget } from '../remote/target.ts';
import { UsageError } from '../usage-error.ts';
import { flagOf, type Reading, type RunFlag, runFlags } from './flags.ts';
import { readText } from './read-text.ts';
import { readVariable } from './variables.ts';

/** Converts flags to run options. Reports all issues at once, by flag name. */
export function optionsOf(args: ParsedArgs): Partial<RunOptions> {
  const options: Record<string, unknown> = {};
  for (const [name, flag] of runFlags()) {
    const value = args.flags[name];
    if (value === undefined || flag.option === undefined) continue;
    options[flag.option] = read(`--${name}`, flag, value);
  }
  if (hasFlag(args, 'yolo')) {
    if (options.approvalMode !== undefined && options.approvalMode !== 'yolo') {
      throw new UsageError(`--yolo and --approval-mode ${options.approvalMode} are mutually exclusive`);
    }
    options.approvalMode = 'yolo';
  }
  const target = stringFlag(args, 'on');
  if (target !== undefined) {
    if (options.invocation !== undefined) throw new UsageError('--on and --invocation are mutually exclusive');
    options.invocation = parseTarget(target);
  }
  const retries = stringFlag(args, 'retries');
  if (retries !== undefined) {
    options.retryPolicy = { ...asRecord(options.retryPolicy), maxRetries: readNumber('--retries', retries) };
  }
  const parsed = RunSettingsSchema.safeParse(options);
  if (!parsed.success) throw inFlags(new ValidationError('run options', issuesOf(parsed.error)));
  return parsed.data;
}

/** Rewrites an error in terms of flags. */
export function inFlags(error: unknown): unknown {
  if (error instanceof ValidationError) {
    return new UsageError(error.issues.map(issueText).join('; '), error.hint ?? 'run "amux run --help" to list flags');
  }
  if (error instanceof CapabilityError) {
    const flag = flagOf(error.option);
    const message = error.message.replace(/ ?\(option \w+\)/, flag ? ` (${flag})` : '');
    const hint = error.hint ?? `run "amux capabilities ${error.agent}" to see what it supports`;
    return new AgentMuxError('CAPABILITY_ERROR', message, { agent: error.agent, hint });
  }
  return error;
}

function issueText({ field, problem }: ValidationIssue): string {
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
    // Accepts the format of most agents' configuration files, too.
    return asRecord(servers).mcpServers ?? servers;
  },
};

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new UsageError(`${name}: not a number: "${text}"`);
  return number;
}

function readDuration(name: string, text: string): number {
  const ms = text === '0' ? 0 : parseDuration(text);
  if (ms === undefined) throw new UsageError(`${name}: invalid duration "${text}"`, 'use 500ms, 90s, 5m or 1h30m');
  return ms;
}

function readJson(name: string, text: string): unknown {
  const source = text.startsWith('@') ? readText(name, text.slice(1)) : text;
  try {
    return JSON.parse(source);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`${name}: not valid JSON: ${reason}`, 'use @FILE to read it from a file');
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
