import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeAdapter } from '@agent-mux/adapters';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VendorQuestions } from './ask-vendor.ts';

const TOKEN = 'a-made-up-token';
let home: string;
let server: Server;
let base: string;
let asked: IncomingMessage[];
let answer: { status: number; headers?: Record<string, string>; body: string };
const logged: string[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'vendor-'));
  mkdirSync(join(home, '.claude'));
  keepLogin({ accessToken: TOKEN, expiresAt: Date.now() + 3_600_000 });
  asked = [];
  logged.length = 0;
  answer = {
    status: 200,
    body: JSON.stringify({ five_hour: { utilization: 100, resets_at: '2026-11-16T15:00:00Z' } }),
  };
  server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(answer.status, answer.headers ?? {}).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true });
});

function keepLogin(login: Record<string, unknown>, folder = '.claude'): void {
  writeFileSync(join(home, folder, '.credentials.json'), JSON.stringify({ claudeAiOauth: login }));
}

const questions = (to = base) => new VendorQuestions((line) => logged.push(line), to);
const ask = (given: Record<string, string> = {}, asking = questions()) =>
  asking.ask('claude/1', claudeAdapter, { HOME: home, ...given });

describe('a vendor that is asked for the limits of a login', () => {
  it('gets the user’s own token, and says how full the windows are; asked again it is not for half an hour', async () => {
    const asking = questions();
    expect(await ask({}, asking)).toEqual([
      { window: 'five_hour', usedPercent: 100, resetsAt: Date.UTC(2026, 10, 16, 15), exhausted: true },
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.url).toBe('/api/oauth/usage');
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(await ask({}, asking)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('is asked with the login of the folder that the agent would use', async () => {
    mkdirSync(join(home, 'other'));
    keepLogin({ accessToken: 'another-made-up-token' }, 'other');
    await ask({ CLAUDE_CONFIG_DIR: join(home, 'other') });
    expect(asked[0]?.headers.authorization).toBe('Bearer another-made-up-token');
  });

  it('is not asked without a login, with one that has run out, or where the agent has a key of its own', async () => {
    expect(await ask({ ANTHROPIC_API_KEY: 'made-up' })).toBeUndefined();
    keepLogin({ accessToken: TOKEN, expiresAt: Date.now() - 1 });
    expect(await ask()).toBeUndefined();
    rmSync(join(home, '.claude', '.credentials.json'));
    expect(await ask()).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('does not get the token to anybody else: no redirect is followed, and no other address taken', async () => {
    const elsewhere: IncomingMessage[] = [];
    const other = createServer((request, response) => {
      elsewhere.push(request);
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    answer = { status: 302, headers: { location: `http://127.0.0.1:${port}/api/oauth/usage` }, body: '' };
    expect(await ask()).toBeUndefined();
    other.close();
    expect(asked).toHaveLength(1);
    expect(elsewhere).toEqual([]);
    expect(logged.join('\n')).toContain('in vain');
    expect(logged.join('\n')).not.toContain(TOKEN);
  });

  it.each([
    ['an error', { status: 500, body: 'no' }],
    ['no JSON', { status: 200, body: 'hello' }],
    ['something else', { status: 200, body: '{"a":1,"five_hour":null,"extra_usage":{"utilization":null}}' }],
    ['too much', { status: 200, body: `{"five_hour":{"utilization":1},"x":"${'x'.repeat(200_000)}"}` }],
  ])('may answer %s, and nothing is known then', async (_, given) => {
    answer = given;
    expect(await ask()).toBeUndefined();
  });

  it('has windows of single models that do not stop the others', () => {
    const windows = claudeAdapter.quotaQuery?.parse({
      seven_day: { utilization: 22, resets_at: null },
      seven_day_opus: { utilization: 100, resets_at: '2026-11-16T15:00:00.123456+00:00' },
    });
    expect(windows).toEqual([
      { window: 'seven_day', usedPercent: 22, resetsAt: null, exhausted: false },
      { window: 'seven_day_opus', usedPercent: 100, resetsAt: Date.UTC(2026, 10, 16, 15, 0, 0, 123), exhausted: false },
    ]);
  });
});
