import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeAdapter } from '@agent-mux/adapters';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VendorQueries } from './vendor-queries.ts';

const TOKEN = 'a-fake-token';
let home: string;
let server: Server;
let base: string;
let requests: IncomingMessage[];
let answer: { status: number; headers?: Record<string, string>; body: string };
const logged: string[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'vendor-'));
  mkdirSync(join(home, '.claude'));
  writeLogin({ accessToken: TOKEN, expiresAt: Date.now() + 3_600_000 });
  requests = [];
  logged.length = 0;
  answer = {
    status: 200,
    body: JSON.stringify({ five_hour: { utilization: 100, resets_at: '2026-11-16T15:00:00Z' } }),
  };
  server = createServer((request, response) => {
    requests.push(request);
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

function writeLogin(login: Record<string, unknown>, folder = '.claude'): void {
  writeFileSync(join(home, folder, '.credentials.json'), JSON.stringify({ claudeAiOauth: login }));
}

const createQueries = (to = base) => new VendorQueries((line) => logged.push(line), to);
const ask = (options: Record<string, string> = {}, queries = createQueries()) =>
  queries.query('claude/1', claudeAdapter, { HOME: home, ...options });

describe('VendorQueries', () => {
  it('queries usage with the user’s token, at most once per half hour', async () => {
    const queries = createQueries();
    expect(await ask({}, queries)).toEqual([
      { window: 'five_hour', usedPercent: 100, resetsAt: Date.UTC(2026, 10, 16, 15), exhausted: true },
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.url).toBe('/api/oauth/usage');
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(await ask({}, queries)).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it('uses the login from the agent’s config folder', async () => {
    mkdirSync(join(home, 'other'));
    writeLogin({ accessToken: 'another-fake-token' }, 'other');
    await ask({ CLAUDE_CONFIG_DIR: join(home, 'other') });
    expect(requests[0]?.headers.authorization).toBe('Bearer another-fake-token');
  });

  it('sends nothing without a login, with an expired one, or if the agent has an API key', async () => {
    expect(await ask({ ANTHROPIC_API_KEY: 'fake' })).toBeUndefined();
    writeLogin({ accessToken: TOKEN, expiresAt: Date.now() - 1 });
    expect(await ask()).toBeUndefined();
    rmSync(join(home, '.claude', '.credentials.json'));
    expect(await ask()).toBeUndefined();
    expect(requests).toEqual([]);
  });

  it('sends the token to no other host', async () => {
    const otherRequests: IncomingMessage[] = [];
    const other = createServer((request, response) => {
      otherRequests.push(request);
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    answer = { status: 302, headers: { location: `http://127.0.0.1:${port}/api/oauth/usage` }, body: '' };
    expect(await ask()).toBeUndefined();
    other.close();
    expect(requests).toHaveLength(1);
    expect(otherRequests).toEqual([]);
    expect(logged.join('\n')).toContain('usage query failed');
    expect(logged.join('\n')).not.toContain(TOKEN);
  });

  it.each([
    ['an error', { status: 500, body: 'no' }],
    ['not JSON', { status: 200, body: 'hello' }],
    ['of another shape', { status: 200, body: '{"a":1,"five_hour":null,"extra_usage":{"utilization":null}}' }],
    ['too large', { status: 200, body: `{"five_hour":{"utilization":1},"x":"${'x'.repeat(200_000)}"}` }],
  ])('ignores an answer that is %s', async (_, options) => {
    answer = options;
    expect(await ask()).toBeUndefined();
  });

  it('does not treat the limit of a single model as exhausted', () => {
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
