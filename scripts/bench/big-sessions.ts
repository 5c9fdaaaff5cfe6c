/** Large stored sessions: what a first list of them takes of memory, and what a search for a frequent word takes of time. */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInAdapters } from '@agent-mux/adapters';
import { createClient } from '@agent-mux/core';
import { inFreshProcess, median } from './measure.ts';
import type { Row } from './row.ts';

const MEGABYTE = 1024 * 1024;
const WORDS = 'queue parser timeout socket render cache index branch token session retry buffer schema worker'.split(
  ' ',
);

export async function bigSessionRows(scratch: string): Promise<Row[]> {
  const many = join(scratch, 'many');
  writeBigSessions(many, { sessions: 60, megabytes: 4, seed: 1 });
  await listed(many);
  const searched: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const started = performance.now();
    const { hits } = await clientIn(many).sessions.search('cache');
    searched.push(performance.now() - started);
    if (hits.length === 0) throw new Error('nothing was found');
  }
  const large = join(scratch, 'large');
  writeBigSessions(large, { sessions: 10, megabytes: 200, seed: 2 });
  const { peakMb, ms } = inFreshProcess(fileURLToPath(import.meta.url), large) as { peakMb: number; ms: number };
  const detail = `${(ms / 1000).toFixed(0)} s`;
  return [
    { name: 'search a frequent word in 240 MB of sessions', value: median(searched), unit: 'ms', target: 2000 },
    { name: 'first list of ten sessions of 200 MB', value: peakMb, unit: 'MB', target: 500, detail },
  ];
}

/** Conversations of Claude Code with long answers and the results of tools in between. */
function writeBigSessions(
  home: string,
  { sessions, megabytes, seed }: { sessions: number; megabytes: number; seed: number },
): void {
  const folder = join(home, '.claude', 'projects', '-p');
  mkdirSync(folder, { recursive: true });
  for (let s = 0; s < sessions; s += 1) {
    const file = openSync(join(folder, `session-${s}.jsonl`), 'w');
    for (let size = 0, t = 0; size < megabytes * MEGABYTE; t += 1) size += writeSync(file, turn(`${seed}-${s}`, t));
    closeSync(file);
  }
}

function turn(id: string, t: number): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + t * 1000).toISOString();
  const shared = { sessionId: `session-${id}`, cwd: '/p', version: '2.0.0', gitBranch: 'main', timestamp };
  const usage = { input_tokens: 900, output_tokens: 120, cache_read_input_tokens: 4000 };
  const say = (part: string, parent: string | null, type: string, message: unknown) =>
    `${JSON.stringify({ type, uuid: `${id}-${part}${t}`, parentUuid: parent, ...shared, message })}\n`;
  const content = [
    { type: 'text', text: sentences(t, 12) },
    { type: 'tool_use', id: `tool-${id}-${t}`, name: 'Read', input: { file_path: `/p/${t}` } },
  ];
  const result = [{ type: 'tool_result', tool_use_id: `tool-${id}-${t}`, content: sentences(t + 1, 40) }];
  return (
    say('u', t === 0 ? null : `${id}-r${t - 1}`, 'user', { role: 'user', content: sentences(t, 2) }) +
    say('a', `${id}-u${t}`, 'assistant', {
      id: `m${t}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content,
      usage,
    }) +
    say('r', `${id}-a${t}`, 'user', { role: 'user', content: result })
  );
}

function sentences(seed: number, count: number): string {
  return Array.from({ length: count * 12 }, (_, i) => WORDS[(seed * 7 + i * i + (i >> 3)) % WORDS.length]).join(' ');
}

function clientIn(home: string) {
  return createClient({ adapters: builtInAdapters(), env: { HOME: home, PATH: process.env.PATH }, runIndex: false });
}

async function listed(home: string): Promise<number> {
  const started = performance.now();
  const { sessions, problems } = await clientIn(home).sessions.list();
  if (sessions.length === 0) throw new Error(`nothing was listed: ${JSON.stringify(problems)}`);
  return performance.now() - started;
}

// In a separate process, so that its memory is only that of the list.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ms = await listed(process.argv[2] ?? '');
  console.log(JSON.stringify({ ms, peakMb: Math.round(process.resourceUsage().maxRSS / 1024) }));
}
