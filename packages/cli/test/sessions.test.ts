import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sessions } from '../src/commands/sessions.ts';
import { parseFlags } from '../src/parse-flags.ts';
import { UsageError } from '../src/usage-error.ts';
import { amux, hasScript, newPlace, onTerminal, PATIENCE_MS, type Place, start } from './amux.ts';

const options = { timeout: PATIENCE_MS };
const place = newPlace();
let hello: string;
let fork: string;

/** A real session of the demo agent; returns its id. */
async function talk(where: Place, ...args: string[]): Promise<string> {
  const { stdout } = await amux(where, ['run', '-a', 'demo', '--json', '--yolo', ...args]);
  const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  return result.sessionId;
}

async function listed(where: Place, ...args: string[]) {
  return JSON.parse((await amux(where, ['sessions', 'list', '--json', ...args])).stdout);
}

beforeAll(async () => {
  hello = await talk(place, 'write the zebra file');
  fork = await talk(place, '--fork', hello, 'and what did I say before?');
}, PATIENCE_MS);

describe('amux sessions', () => {
  it('lists those of this folder, for people and for programs', options, async () => {
    const { code, stdout, stderr } = await amux(place, ['sessions']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('amux sessions show ID') });
    expect(stdout).toMatch(/^AGE +AGENT +TITLE +PROJECT +MESSAGES +COST +ID$/m);
    expect(stdout).toMatch(
      new RegExp(`^\\d+ (?:s|min) +demo +write the zebra file +project +2 +<?\\$[\\d.]+ +${hello.slice(0, 8)}`, 'm'),
    );
    const { sessions: found, total, problems } = await listed(place);
    expect({ total, problems }).toEqual({ total: 2, problems: [] });
    expect(found).toContainEqual(
      expect.objectContaining({ agent: 'demo', sessionId: hello, cwd: place.cwd, costSource: 'reported' }),
    );
  });

  it('says where else there are some', options, async () => {
    const elsewhere: Place = { ...place, cwd: join(place.home, 'other') };
    mkdirSync(elsewhere.cwd);
    const { stdout, stderr } = await amux(elsewhere, ['sessions']);
    expect(stdout).toBe('No sessions in this folder.\n');
    expect(stderr).toBe('2 in other folders: amux sessions --all\n');
    expect((await listed(elsewhere, '--all')).total).toBe(2);
    expect((await listed(elsewhere, '--cwd', '../project', '--agent', 'claude,demo')).total).toBe(2);
    expect((await listed(elsewhere, '--all', '--until', '1h')).total).toBe(0);
    expect((await listed(elsewhere, '--all', '--since', '1h', '--limit', '1')).sessions).toHaveLength(1);
  });

  it.each([
    [['list', '--since', 'soon'], /--since: "soon" is no time/],
    [['list', '--limit', 'x'], /--limit/],
    [['list', '--all', '--cwd', '.'], /contradicts/],
    [['list', '--by', 'day'], /does not take --by/],
    [['cost', '--by', 'moon'], /agent, model, day, project/],
    [['export', 'x', '--format', 'pdf'], /json, jsonl, markdown, html/],
    [['export', 'x', '--out', 'talk.pdf'], /no export to \.pdf; there are json, jsonl, markdown, html/],
    [['export', 'x', '--out', 'talk.html', '--format', 'json'], /talk\.html would hold json/],
    [['lst'], /cannot "lst"/],
    [['show'], /needs more words/],
  ])('refuses %j', options, async (args, said) => {
    const given = await parseFlags('sessions', sessions, args);
    await expect(sessions.run(given)).rejects.toThrow(said);
    await expect(sessions.run(given)).rejects.toBeInstanceOf(UsageError);
  });

  it('knows no agent that is not there', options, async () => {
    expect(await amux(place, ['sessions', '--agent', 'clade'])).toMatchObject({ code: 3 });
  });

  it('tells of files that cannot be read and goes on', options, async () => {
    const other = newPlace();
    await talk(other, 'hello');
    const folder = join(other.home, '.local', 'state', 'agent-mux', 'demo');
    writeFileSync(join(folder, 'half-written.json'), '{"id": "half');
    const { code, stdout, stderr } = await amux(other, ['sessions']);
    expect(code).toBe(0);
    expect(stdout).toContain('hello');
    expect(stderr).toMatch(/^amux: demo: .*half-written\.json is no session/);
    expect((await listed(other)).problems).toHaveLength(1);
  });

  it.runIf(hasScript)('fits the terminal', options, async () => {
    const { stdout } = await onTerminal(place, ['sessions']).finished;
    const lines = stdout.replace(/\u001b\[[\d;]*m/g, '').split(/\r?\n/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(stdout).toContain('write the zebra file');
  });
});

describe('amux sessions show', () => {
  it('shows the conversation and how to go on', options, async () => {
    const { code, stdout } = await amux(place, ['sessions', 'show', hello.slice(0, 8)]);
    expect(code).toBe(0);
    expect(stdout).toContain(`amux run -a demo --resume ${hello} "..."`);
    expect(stdout).toContain(`amux run -a demo --fork ${hello} "..."`);
    expect(stdout).toMatch(/you:.*\nwrite the zebra file\n/);
    // In the order in which it happened.
    expect(stdout).toMatch(/● write_file → [^\n]*\nWrote /);
    const session = JSON.parse((await amux(place, ['sessions', 'show', `demo:${hello}`, '--json'])).stdout);
    expect(session).toMatchObject({
      agent: 'demo',
      sessionId: hello,
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
    expect(await amux(place, ['sessions', 'show', 'nothing'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no session "nothing"'),
    });
  });

  it('lets no text move the cursor', options, async () => {
    const other = newPlace();
    const id = await talk(other, 'hi \u001b[2J\u001b]0;title\u0007there');
    const { stdout } = await amux(other, ['sessions', 'show', id]);
    expect(stdout).toContain('hi there');
    expect(stdout).not.toMatch(/[\u001b\u0007]/);
  });
});

describe('amux sessions search', () => {
  it('finds what was said, and says when nothing was', options, async () => {
    const found = await amux(place, ['sessions', 'search', 'zebra', 'fil']);
    expect(found.code).toBe(0);
    expect(found.stdout).toContain(`demo:${hello}`);
    const { hits } = JSON.parse((await amux(place, ['sessions', 'search', 'zebra file', '--json'])).stdout);
    expect(hits[0].snippet).toContainEqual({ text: 'zebra file', match: true });
    expect(await amux(place, ['sessions', 'search', 'unsaid'])).toMatchObject({ code: 1, stdout: 'Nothing found.\n' });
  });
});

describe('amux sessions export', () => {
  it('writes to stdout or into a file, which it does not overwrite', options, async () => {
    const html = await amux(place, ['sessions', 'export', hello, '--format', 'html']);
    expect(html.stdout).toMatch(/^<!doctype html>/);
    expect((await amux(place, ['sessions', 'export', hello])).stdout).toMatch(/^# write the zebra file\n/);
    const lines = (await amux(place, ['sessions', 'export', hello, '--format', 'jsonl'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['session', 'message', 'message']);
    const file = join(place.cwd, 'talk.html');
    expect(await amux(place, ['sessions', 'export', hello, '--out', 'talk.html'])).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(readFileSync(file, 'utf8')).toBe(html.stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await amux(place, ['sessions', 'export', hello, '--out', 'talk.html'])).toMatchObject({ code: 2 });
  });
});

describe('amux sessions cost', () => {
  it('sums what the sessions tell', options, async () => {
    const { stdout } = await amux(place, ['sessions', 'cost', '--by', 'model']);
    expect(stdout).toMatch(/^MODEL +SESSIONS +INPUT +OUTPUT +CACHE READ +CACHE WRITE +COST$/m);
    expect(stdout).toMatch(/^demo-1 +2 /m);
    expect(stdout).toMatch(/^total +2 /m);
    const costs = JSON.parse((await amux(place, ['sessions', 'cost', '--json'])).stdout);
    expect(costs.rows).toMatchObject([{ group: 'demo', sessions: 2, estimatedUsd: 0 }]);
    // A fork has the messages of the other session, and not its price.
    const { sessions: both } = await listed(place);
    const costOf = (id: string) => both.find(({ sessionId }: { sessionId: string }) => sessionId === id).costUsd;
    expect(costOf(fork)).toBeLessThan(costOf(hello));
  });
});

describe('amux sessions diff', () => {
  it('shows where a fork has parted', options, async () => {
    const { code, stdout } = await amux(place, ['sessions', 'diff', hello, fork]);
    expect(code).toBe(0);
    expect(stdout).toContain('They share their first 2 messages.');
    expect(stdout).toMatch(/^\+ and what did I say before\?$/m);
  });
});

describe('amux sessions watch', () => {
  it('tells what is said elsewhere, until it is interrupted', options, async () => {
    const other = newPlace();
    const id = await talk(other, 'hello');
    const watching = start(other, ['sessions', 'watch', id.slice(0, 8), '--json']);
    await watching.until('watching');
    const saying = talk(other, '--resume', id, 'something new');
    await watching.until(/"text":"something new"/);
    await saying;
    watching.child.kill('SIGINT');
    expect(await watching.finished).toMatchObject({ code: 0 });
  });
});

describe('amux sessions delete', () => {
  it('deletes nothing unasked', options, async () => {
    const other = newPlace();
    const id = await talk(other, 'hello');
    const file = join(other.home, '.local', 'state', 'agent-mux', 'demo', `${id}.json`);
    expect(await amux(other, ['sessions', 'delete', id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(existsSync(file)).toBe(true);
    expect(await amux(other, ['sessions', 'delete', 'zzz', '--yes'])).toMatchObject({ code: 1 });
    expect(await amux(other, ['sessions', 'delete', id, '--yes'])).toMatchObject({
      code: 0,
      stdout: 'The session was deleted.\n',
    });
    expect(existsSync(file)).toBe(false);
    expect((await listed(other)).total).toBe(0);
  });

  it.runIf(hasScript)('asks on a terminal', options, async () => {
    const other = newPlace();
    const id = await talk(other, 'hello');
    const ask = async (answer: string) => {
      const { child, until, finished } = onTerminal(other, ['sessions', 'delete', id]);
      await until('[y/N]');
      child.stdin?.write(`${answer}\n`);
      return finished;
    };
    expect((await ask('')).stdout).toContain('nothing was deleted');
    expect((await listed(other)).total).toBe(1);
    expect((await ask('y')).stdout).toContain('The session was deleted.');
    expect((await listed(other)).total).toBe(0);
  });
});
