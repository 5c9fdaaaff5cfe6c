/** Listing and searching 10,000 stored sessions, the first time and afterwards. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInAdapters } from '@agent-mux/adapters';
import { createClient } from '@agent-mux/core';
import { median, timed } from './measure.ts';
import type { Row } from './row.ts';

const PROJECTS = 100;
const PER_PROJECT = 100;
const TURNS = 5;
const WORDS = 'queue parser timeout socket render cache index branch token session retry buffer schema worker'.split(
  ' ',
);

export async function sessionRows(scratch: string): Promise<Row[]> {
  const home = join(scratch, 'home');
  const projects = join(home, '.claude', 'projects');
  writeSessions(projects);
  const env = { HOME: home, PATH: process.env.PATH };
  const fresh = () => createClient({ adapters: builtInAdapters(), env, runIndex: false }).sessions;
  const everything = PROJECTS * PER_PROJECT;
  const list = async () => expectCount((await fresh().list({ limit: 50 })).total, everything);
  const search = async () => expectCount((await fresh().search('needle7777')).hits.length, 1);

  const bare = await timed(async () => readEverything(projects));
  const cold = await timed(list);
  const stats = await middle(5, async () => lookAtEverything(projects));
  const warm = await middle(5, list);
  const found = await middle(5, search);
  appendFileSync(join(projects, '-p-7', 'session-7-7.jsonl'), turn('7-7', TURNS, '/p/7'));
  const oneChanged = await timed(list);
  return [
    { name: `list ${everything} sessions, first time`, value: cold, unit: 'ms', detail: `${ms(bare)} to parse them` },
    {
      name: `list ${everything} sessions, afterwards`,
      value: warm,
      unit: 'ms',
      target: 300,
      detail: `${ms(stats)} to look at all files`,
    },
    { name: `list ${everything} sessions, one has changed`, value: oneChanged, unit: 'ms' },
    { name: `search ${everything} sessions`, value: found, unit: 'ms' },
  ];
}

function writeSessions(projects: string): void {
  for (let p = 0; p < PROJECTS; p += 1) {
    const folder = join(projects, `-p-${p}`);
    mkdirSync(folder, { recursive: true });
    for (let s = 0; s < PER_PROJECT; s += 1) {
      const lines = Array.from({ length: TURNS }, (_, t) => turn(`${p}-${s}`, t, `/p/${p}`));
      if (p === 77 && s === 77) lines.push(turn('77-77', TURNS, '/p/77', 'where is needle7777?'));
      writeFileSync(join(folder, `session-${p}-${s}.jsonl`), lines.join(''));
    }
  }
}

function turn(id: string, t: number, cwd: string, prompt = sentence(id.length * 31 + t)): string {
  const time = new Date(Date.UTC(2026, 0, 1) + t * 60_000 + id.length * 3_600_000).toISOString();
  const before = t === 0 ? null : `${id}-a${t - 1}`;
  const shared = { sessionId: `session-${id}`, cwd, timestamp: time };
  const ask = {
    type: 'user',
    uuid: `${id}-u${t}`,
    parentUuid: before,
    ...shared,
    message: { role: 'user', content: prompt },
  };
  const message = {
    id: `${id}-m${t}`,
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: Array.from({ length: 8 }, (_, i) => sentence(t * 8 + i)).join(' ') }],
    usage: { input_tokens: 900, output_tokens: 120, cache_read_input_tokens: 4000 },
  };
  const answer = { type: 'assistant', uuid: `${id}-a${t}`, parentUuid: `${id}-u${t}`, ...shared, message };
  return `${JSON.stringify(ask)}\n${JSON.stringify(answer)}\n`;
}

function sentence(seed: number): string {
  return Array.from({ length: 12 }, (_, i) => WORDS[(seed * 7 + i * i) % WORDS.length]).join(' ');
}

/** The bare minimum of the first time: every line is parsed once. */
function readEverything(projects: string): void {
  for (const entry of readdirSync(projects, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    for (const line of readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n')) if (line) JSON.parse(line);
  }
}

/** The bare minimum of every time: which files there are, and when they changed. */
function lookAtEverything(projects: string): void {
  for (const entry of readdirSync(projects, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) statSync(join(entry.parentPath, entry.name));
  }
}

async function middle(rounds: number, work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i += 1) times.push(await timed(work));
  return median(times);
}

function expectCount(found: number, wanted: number): void {
  if (found !== wanted) throw new Error(`found ${found} instead of ${wanted}`);
}

function ms(time: number): string {
  return `${time.toFixed(0)} ms`;
}
