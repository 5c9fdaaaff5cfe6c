import { resolve } from 'node:path';
import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { SessionProblem, SessionQuery } from '@agent-mux/core';
import { type FlagTable, hasFlag, JSON_FLAG, listFlag, type ParsedArgs, stringFlag, TRUST_FLAG } from '../command.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { type Say, withProgress } from '../screen/progress.ts';
import { UsageError } from '../usage-error.ts';

export const SESSION_FLAGS = {
  agent: { type: 'string', short: 'a', multiple: true, value: 'NAME,...', help: 'Show only these agents' },
  cwd: {
    type: 'string',
    short: 'C',
    value: 'DIR',
    help: 'Show only this folder and those below (list: default current)',
  },
  all: { type: 'boolean', help: 'Include all folders (list, watch)' },
  since: { type: 'string', value: 'WHEN', help: 'Active since: 36h, 7d or a date such as 2026-01-31' },
  until: { type: 'string', value: 'WHEN', help: 'Active before this time' },
  model: { type: 'string', short: 'm', value: 'NAME', help: 'Show only this model; part of its name is enough' },
  limit: { type: 'string', short: 'n', value: 'N', help: 'Maximum number (default 50, search 20; 0 for all)' },
  format: { type: 'string', value: 'FORMAT', help: 'markdown (default), html, json or jsonl (export)' },
  out: { type: 'string', short: 'o', value: 'FILE', help: 'Write to a file; never overwrites (export)' },
  by: { type: 'string', value: 'WHAT', help: 'Group by agent (default), model, day or project (cost)' },
  yes: { type: 'boolean', short: 'y', help: 'Do not ask for confirmation (delete)' },
  json: JSON_FLAG,
  'trust-project': TRUST_FLAG,
} as const satisfies FlagTable;

/** The query described by the filter flags. */
export async function queryOf(args: ParsedArgs, defaults: { limit?: number } = {}): Promise<SessionQuery> {
  const agents = listFlag(args, 'agent').flatMap((names) => names.split(',').filter((name) => name !== ''));
  const cwd = stringFlag(args, 'cwd');
  const limit = stringFlag(args, 'limit');
  const most = limit === undefined ? defaults.limit : countOf(limit);
  return {
    ...(agents.length > 0 ? { agents } : {}),
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
    ...(await timesOf(args)),
    ...(args.flags.model === undefined ? {} : { model: stringFlag(args, 'model') }),
    ...(most === undefined || most === 0 ? {} : { limit: most }),
  };
}

function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--limit: not a number: "${text}"`);
  return Number(text);
}

async function timesOf(args: ParsedArgs): Promise<Pick<SessionQuery, 'since' | 'until'>> {
  const times: Pick<SessionQuery, 'since' | 'until'> = {};
  for (const name of ['since', 'until'] as const) {
    const text = stringFlag(args, name);
    if (text === undefined) continue;
    const { parseTime } = await import('@agent-mux/core');
    const time = parseTime(text, Date.now());
    if (Number.isNaN(time)) {
      throw new UsageError(`--${name}: invalid time "${text}"`, 'use 36h, 7d, 2026-01-31 or 2026-01-31T09:30');
    }
    times[name] = time;
  }
  return times;
}

/** Runs a query with progress, then reports what could not be read. */
export async function querySessions<Answer extends { problems: readonly SessionProblem[] }>(
  args: ParsedArgs,
  ask: (onProgress: NonNullable<SessionQuery['onProgress']>) => Promise<Answer>,
): Promise<Answer> {
  const answer = await withProgress('searching for sessions', (say: Say) =>
    ask((done, total) => say(`reading sessions: ${done} of ${total}`)),
  );
  if (!hasFlag(args, 'json')) reportProblems(answer.problems);
  return answer;
}

const SHOWN_PROBLEMS = 3;

function reportProblems(problems: readonly SessionProblem[]): void {
  const { yellow } = paint(process.stderr);
  for (const { agent, path, problem } of problems.slice(0, SHOWN_PROBLEMS)) {
    const where = problem.includes(path) ? '' : `${path}: `;
    process.stderr.write(`${yellow('amux:')} ${toOneLine(`${agent ? `${agent}: ` : ''}${where}${problem}`, 500)}\n`);
  }
  const more = problems.length - SHOWN_PROBLEMS;
  if (more > 0) process.stderr.write(`${yellow('amux:')} ${more} more could not be read; use --json to list them\n`);
}

/** Commands that resume or fork a session; undefined if its agent does not support it. */
export async function resumeCommands(
  client: ConfiguredClient,
  { agent, sessionId, cwd }: { agent: string; sessionId: string; cwd?: string },
): Promise<{ resume?: string; fork?: string }> {
  const { modesOf, shellCommand, escapeControls } = await import('@agent-mux/core');
  // A command with invisible characters cannot be copied.
  if (escapeControls(`${sessionId}${cwd ?? ''}`) !== `${sessionId}${cwd ?? ''}`) return {};
  const modes = client.adapters.has(agent) ? modesOf(client.adapters.get(agent)) : [];
  const there = cwd === undefined || cwd === process.cwd() ? [] : ['-C', cwd];
  const command = (flag: string) => `${shellCommand(['amux', 'run', '-a', agent, flag, sessionId, ...there])} "..."`;
  return {
    ...(modes.some(({ capabilities }) => capabilities.canResume) ? { resume: command('--resume') } : {}),
    ...(modes.some(({ capabilities }) => capabilities.canFork) ? { fork: command('--fork') } : {}),
  };
}
