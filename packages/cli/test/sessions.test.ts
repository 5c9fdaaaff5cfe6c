import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sessions } from '../src/commands/sessions.ts';
import { parseFlags } from '../src/parse-flags.ts';
import { UsageError } from '../src/usage-error.ts';
import { amux, createTestHome, hasScript, onTerminal, start, type TestHome, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };
const testHome = createTestHome();
let hello: string;
let fork: string;

/** Creates a real session of the demo agent; returns its id. */
async function talk(where: TestHome, ...args: string[]): Promise<string> {
  const { stdout } = await amux(where, ['run', '-a', 'demo', '--json', '--yolo', ...args]);
  const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  return result.sessionId;
}

async function listed(where: TestHome, ...args: string[]) {
  return JSON.parse((await amux(where, ['sessions', 'list', '--json', ...args])).stdout);
}

beforeAll(async () => {
  hello = await talk(testHome, 'write the zebra file');
  fork = await talk(testHome, '--fork', hello, 'and what did I say before?');
}, TIMEOUT_MS);

describe('amux sessions', () => {
  it('lists the sessions of this folder as text and JSON', options, async () => {
    const { code, stdout, stderr } = await amux(testHome, ['sessions']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('amux sessions show ID') });
    expect(stdout).toMatch(/^AGE +AGENT +TITLE +PROJECT +MESSAGES +COST +ID$/m);
    expect(stdout).toMatch(
      new RegExp(`^\\d+ (?:s|min) +demo +write the zebra file +project +2 +<?\\$[\\d.]+ +${hello.slice(0, 8)}`, 'm'),
    );
    const { sessions: found, total, problems } = await listed(testHome);
    expect({ total, problems }).toEqual({ total: 2, problems: [] });
    expect(found).toContainEqual(
      expect.objectContaining({ agent: 'demo', sessionId: hello, cwd: testHome.cwd, costSource: 'reported' }),
    );
  });

  it('says that other folders have sessions', options, async () => {
    const otherHome: TestHome = { ...testHome, cwd: join(testHome.home, 'other') };
    mkdirSync(otherHome.cwd);
    const { stdout, stderr } = await amux(otherHome, ['sessions']);
    expect(stdout).toBe('No sessions in this folder.\n');
    expect(stderr).toBe('2 in other folders: run "amux sessions --all"\n');
    expect((await listed(otherHome, '--all')).total).toBe(2);
    expect((await listed(otherHome, '--cwd', '../project', '--agent', 'claude,demo')).total).toBe(2);
    expect((await listed(otherHome, '--all', '--until', '1h')).total).toBe(0);
    expect((await listed(otherHome, '--all', '--since', '1h', '--limit', '1')).sessions).toHaveLength(1);
  });

  it.each([
    [['list', '--since', 'soon'], /--since: invalid time "soon"/],
    [['list', '--limit', 'x'], /--limit/],
    [['list', '--all', '--cwd', '.'], /mutually exclusive/],
    [['list', '--by', 'day'], /unsupported flag --by/],
    [['cost', '--by', 'moon'], /--by: invalid value "moon"/],
    [['export', 'x', '--format', 'pdf'], /--format: unknown format "pdf"/],
    [['export', 'x', '--out', 'talk.pdf'], /unknown format \.pdf; use one of json, jsonl, markdown, html/],
    [
      ['export', 'x', '--out', 'talk.html', '--format', 'json'],
      /extension of \S*talk\.html does not match format json/,
    ],
    [['lst'], /unknown command "amux sessions lst"/],
    [['show'], /missing argument/],
  ])('rejects %j', options, async (args, message) => {
    const parsed = await parseFlags('sessions', sessions, args);
    await expect(sessions.run(parsed)).rejects.toThrow(message);
    await expect(sessions.run(parsed)).rejects.toBeInstanceOf(UsageError);
  });

  it('rejects an unknown agent', options, async () => {
    expect(await amux(testHome, ['sessions', '--agent', 'clade'])).toMatchObject({ code: 3 });
  });

  it('reports unreadable files and continues', options, async () => {
    const other = createTestHome();
    await talk(other, 'hello');
    const folder = join(other.home, '.local', 'state', 'agent-mux', 'demo');
    writeFileSync(join(folder, 'half-written.json'), '{"id": "half');
    const { code, stdout, stderr } = await amux(other, ['sessions']);
    expect(code).toBe(0);
    expect(stdout).toContain('hello');
    expect(stderr).toMatch(/^amux: demo: .*half-written\.json is not a demo session/);
    expect((await listed(other)).problems).toHaveLength(1);
  });

  it.runIf(hasScript)('fits the terminal', options, async () => {
    const { stdout } = await onTerminal(testHome, ['sessions']).finished;
    const lines = stdout.replace(/\u001b\[[\d;]*m/g, '').split(/\r?\n/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(stdout).toContain('write the zebra file');
  });
});

describe('amux sessions show', () => {
  it('shows the conversation and how to resume it', options, async () => {
    const { code, stdout } = await amux(testHome, ['sessions', 'show', hello.slice(0, 8)]);
    expect(code).toBe(0);
    expect(stdout).toContain(`amux run -a demo --resume ${hello} "..."`);
    expect(stdout).toContain(`amux run -a demo --fork ${hello} "..."`);
    expect(stdout).toMatch(/you:.*\nwrite the zebra file\n/);
    // In chronological order.
    expect(stdout).toMatch(/● write_file → [^\n]*\nWrote /);
    const session = JSON.parse((await amux(testHome, ['sessions', 'show', `demo:${hello}`, '--json'])).stdout);
    expect(session).toMatchObject({
      agent: 'demo',
      sessionId: hello,
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
    expect(await amux(testHome, ['sessions', 'show', 'nothing'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('session "nothing" not found'),
    });
  });

  it('removes cursor movement from texts', options, async () => {
    const other = createTestHome();
    const id = await talk(other, 'hi \u001b[2J\u001b]0;title\u0007there');
    const { stdout } = await amux(other, ['sessions', 'show', id]);
    expect(stdout).toContain('hi there');
    expect(stdout).not.toMatch(/[\u001b\u0007]/);
  });
});

describe('amux sessions search', () => {
  it('finds messages, and says if there are none', options, async () => {
    const found = await amux(testHome, ['sessions', 'search', 'zebra', 'fil']);
    expect(found.code).toBe(0);
    expect(found.stdout).toContain(`demo:${hello}`);
    const { hits } = JSON.parse((await amux(testHome, ['sessions', 'search', 'zebra file', '--json'])).stdout);
    expect(hits[0].snippet).toContainEqual({ text: 'zebra file', match: true });
    expect(await amux(testHome, ['sessions', 'search', 'unsaid'])).toMatchObject({
      code: 1,
      stdout: 'Nothing found.\n',
    });
  });
});

describe('amux sessions export', () => {
  it('writes to stdout or to a new file', options, async () => {
    const html = await amux(testHome, ['sessions', 'export', hello, '--format', 'html']);
    expect(html.stdout).toMatch(/^<!doctype html>/);
    expect((await amux(testHome, ['sessions', 'export', hello])).stdout).toMatch(/^# write the zebra file\n/);
    const lines = (await amux(testHome, ['sessions', 'export', hello, '--format', 'jsonl'])).stdout
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['session', 'message', 'message']);
    const file = join(testHome.cwd, 'talk.html');
    expect(await amux(testHome, ['sessions', 'export', hello, '--out', 'talk.html'])).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(readFileSync(file, 'utf8')).toBe(html.stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await amux(testHome, ['sessions', 'export', hello, '--out', 'talk.html'])).toMatchObject({ code: 2 });
  });
});

describe('amux sessions cost', () => {
  it('sums the reported usage', options, async () => {
    const { stdout } = await amux(testHome, ['sessions', 'cost', '--by', 'model']);
    expect(stdout).toMatch(/^MODEL +SESSIONS +INPUT +OUTPUT +CACHE READ +CACHE WRITE +COST$/m);
    expect(stdout).toMatch(/^demo-1 +2 /m);
    expect(stdout).toMatch(/^total +2 /m);
    const costs = JSON.parse((await amux(testHome, ['sessions', 'cost', '--json'])).stdout);
    expect(costs.rows).toMatchObject([{ group: 'demo', sessions: 2, estimatedUsd: 0 }]);
    // A fork has the messages of the other session, but not its cost.
    const { sessions: both } = await listed(testHome);
    const costOf = (id: string) => both.find(({ sessionId }: { sessionId: string }) => sessionId === id).costUsd;
    expect(costOf(fork)).toBeLessThan(costOf(hello));
  });
});

describe('amux sessions diff', () => {
  it('shows where a fork diverges', options, async () => {
    const { code, stdout } = await amux(testHome, ['sessions', 'diff', hello, fork]);
    expect(code).toBe(0);
    expect(stdout).toContain('The first 2 messages are the same.');
    expect(stdout).toMatch(/^\+ and what did I say before\?$/m);
  });
});

describe('amux sessions watch', () => {
  it('prints messages of other processes until it is interrupted', options, async () => {
    const other = createTestHome();
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
  it('deletes nothing without confirmation', options, async () => {
    const other = createTestHome();
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
      stdout: 'Session deleted.\n',
    });
    expect(existsSync(file)).toBe(false);
    expect((await listed(other)).total).toBe(0);
  });

  it.runIf(hasScript)('asks for confirmation on a terminal', options, async () => {
    const other = createTestHome();
    const id = await talk(other, 'hello');
    const ask = async (answer: string) => {
      const { child, until, finished } = onTerminal(other, ['sessions', 'delete', id]);
      await until('[y/N]');
      child.stdin?.write(`${answer}\n`);
      return finished;
    };
    expect((await ask('')).stdout).toContain('nothing was deleted');
    expect((await listed(other)).total).toBe(1);
    expect((await ask('y')).stdout).toContain('Session deleted.');
    expect((await listed(other)).total).toBe(0);
  });
});
