import { resolve } from 'node:path';
import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { SessionProblem, SessionQuery } from '@agent-mux/core';
import { type FlagTable, type Given, isOn, JSON_FLAG, listFlag, TRUST_FLAG, textFlag } from '../command.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { type Say, withProgress } from '../screen/progress.ts';
import { UsageError } from '../usage-error.ts';

export const SESSION_FLAGS = {
  agent: { type: 'string', short: 'a', multiple: true, value: 'NAME,...', help: 'Only of these agents.' },
  cwd: {
    type: 'string',
    short: 'C',
    value: 'DIR',
    help: 'Only of this folder and those below it (list: default here).',
  },
  all: { type: 'boolean', help: 'list, watch: of all folders.' },
  since: { type: 'string', value: 'WHEN', help: 'Active since: 36h, 7d, or a date such as 2026-01-31.' },
  until: { type: 'string', value: 'WHEN', help: 'Active before that time.' },
  model: { type: 'string', short: 'm', value: 'NAME', help: 'Only with this model; a part of its name is enough.' },
  limit: { type: 'string', short: 'n', value: 'N', help: 'At most so many (default 50; search 20); 0: all.' },
  format: { type: 'string', value: 'FORMAT', help: 'export: markdown (default), html, json or jsonl.' },
  out: { type: 'string', short: 'o', value: 'FILE', help: 'export: into a file, which is not overwritten.' },
  by: { type: 'string', value: 'WHAT', help: 'cost: agent (default), model, day or project.' },
  yes: { type: 'boolean', short: 'y', help: 'delete: without asking.' },
  json: JSON_FLAG,
  'trust-project': TRUST_FLAG,
} as const satisfies FlagTable;

/** What the filters of a command line ask for. */
export async function queryOf(given: Given, defaults: { limit?: number } = {}): Promise<SessionQuery> {
  const agents = listFlag(given, 'agent').flatMap((names) => names.split(',').filter((name) => name !== ''));
  const cwd = textFlag(given, 'cwd');
  const limit = textFlag(given, 'limit');
  const most = limit === undefined ? defaults.limit : countOf(limit);
  return {
    ...(agents.length > 0 ? { agents } : {}),
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
    ...(await timesOf(given)),
    ...(given.flags.model === undefined ? {} : { model: textFlag(given, 'model') }),
    ...(most === undefined || most === 0 ? {} : { limit: most }),
  };
}

function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--limit: "${text}" is not a number`);
  return Number(text);
}

async function timesOf(given: Given): Promise<Pick<SessionQuery, 'since' | 'until'>> {
  const times: Pick<SessionQuery, 'since' | 'until'> = {};
  for (const name of ['since', 'until'] as const) {
    const text = textFlag(given, name);
    if (text === undefined) continue;
    const { parseTime } = await import('@agent-mux/core');
    const time = parseTime(text, Date.now());
    if (Number.isNaN(time)) {
      throw new UsageError(`--${name}: "${text}" is no time`, 'write 36h, 7d, 2026-01-31 or 2026-01-31T09:30');
    }
    times[name] = time;
  }
  return times;
}

/** Asks while a line tells how far it has come, then says what could not be read. */
export async function askSessions<Answer extends { problems: readonly SessionProblem[] }>(
  given: Given,
  ask: (onProgress: NonNullable<SessionQuery['onProgress']>) => Promise<Answer>,
): Promise<Answer> {
  const answer = await withProgress('looking for sessions', (say: Say) =>
    ask((done, total) => say(`reading sessions: ${done} of ${total}`)),
  );
  if (!isOn(given, 'json')) tellProblems(answer.problems);
  return answer;
}

const SHOWN_PROBLEMS = 3;

function tellProblems(problems: readonly SessionProblem[]): void {
  const { yellow } = paint(process.stderr);
  for (const { agent, path, problem } of problems.slice(0, SHOWN_PROBLEMS)) {
    const where = problem.includes(path) ? '' : `${path}: `;
    process.stderr.write(`${yellow('amux:')} ${toOneLine(`${agent ? `${agent}: ` : ''}${where}${problem}`, 500)}\n`);
  }
  const more = problems.length - SHOWN_PROBLEMS;
  if (more > 0) process.stderr.write(`${yellow('amux:')} ${more} more could not be read; --json names them\n`);
}

/** How the person goes on with a session; undefined where its agent cannot. */
export async function describeGoingOn(
  client: ConfiguredClient,
  { agent, sessionId, cwd }: { agent: string; sessionId: string; cwd?: string },
): Promise<{ resume?: string; fork?: string }> {
  const { modesOf, shellCommand, makeVisible } = await import('@agent-mux/core');
  // What cannot be seen cannot be copied either.
  if (makeVisible(`${sessionId}${cwd ?? ''}`) !== `${sessionId}${cwd ?? ''}`) return {};
  const modes = client.adapters.has(agent) ? modesOf(client.adapters.get(agent)) : [];
  const there = cwd === undefined || cwd === process.cwd() ? [] : ['-C', cwd];
  const command = (flag: string) => `${shellCommand(['amux', 'run', '-a', agent, flag, sessionId, ...there])} "..."`;
  return {
    ...(modes.some(({ capabilities }) => capabilities.canResume) ? { resume: command('--resume') } : {}),
    ...(modes.some(({ capabilities }) => capabilities.canFork) ? { fork: command('--fork') } : {}),
  };
}
