import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AskOptions, type ServedApi, serveApi, TOKEN } from '../../../test/served-api.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.stop());

const SESSIONS = '/api/v1/sessions';
/** Of every kind: data, an order, a stream, a file, what is open to all, a page, what is not there. */
const KINDS: readonly [string, AskOptions][] = [
  [SESSIONS, {}],
  [`${SESSIONS}/one/stop`, { method: 'POST', body: {} }],
  [`${SESSIONS}/one/events`, { headers: { accept: 'text/event-stream' } }],
  ['/api/v1/changes', { headers: { accept: 'text/event-stream' } }],
  ['/api/v1/files?name=a', { method: 'POST', body: 'x' }],
  ['/api/v1/health', {}],
  ['/metrics', {}],
  ['/docs', {}],
  ['/', {}],
  ['/nothing', {}],
  [SESSIONS, { method: 'OPTIONS' }],
];

describe('who may call', () => {
  test.each(KINDS)('a foreign Host is refused, whatever it shows: %s', async (path, options) => {
    const hosts = [
      'evil.example',
      `evil.example:${api.port}`,
      '127.0.0.1',
      `127.0.0.1:${api.port + 1}`,
      `127.0.0.1.evil.example:${api.port}`,
    ];
    for (const host of hosts) {
      const answer = await api.ask(path, { ...options, headers: { ...options.headers, host } });
      expect([host, answer.status, answer.json().code]).toEqual([host, 403, 'FORBIDDEN']);
    }
  });

  test.each(KINDS)('a page of another origin is refused, whatever it shows: %s', async (path, options) => {
    const origins = [
      'https://evil.example',
      `http://evil.example:${api.port}`,
      'null',
      `https://127.0.0.1:${api.port}`,
      `http://127.0.0.1:${api.port + 1}`,
      `http://localhost:${api.port}`,
    ];
    for (const origin of origins) {
      const answer = await api.ask(path, { ...options, headers: { ...options.headers, origin } });
      expect([origin, answer.status, answer.json().code]).toEqual([origin, 403, 'FORBIDDEN']);
    }
  });

  test('the names of the loopback address are its own, with their own origin', async () => {
    for (const host of [
      `127.0.0.1:${api.port}`,
      `localhost:${api.port}`,
      `LOCALHOST:${api.port}`,
      `[::1]:${api.port}`,
    ]) {
      const origin = `http://${host.toLowerCase()}`;
      expect((await api.ask(SESSIONS, { headers: { host, origin } })).status).toBe(200);
    }
  });

  test('a page of another port that sends no origin is known by what the browser says of it', async () => {
    for (const site of ['cross-site', 'same-site', 'nonsense']) {
      const answer = await api.ask(SESSIONS, { headers: { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' } });
      expect([site, answer.status]).toEqual([site, 403]);
    }
    expect((await api.ask(SESSIONS, { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
    const followed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await api.ask('/docs', { headers: followed })).status).toBe(200);
    expect((await api.ask('/docs', { headers: { ...followed, 'sec-fetch-mode': 'no-cors' } })).status).toBe(403);
  });

  test('no other origin is ever allowed to read an answer', async () => {
    for (const [path, options] of KINDS.filter(([, { headers }]) => !headers)) {
      const { headers } = await api.ask(path, options);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('the token', () => {
  test.each(KINDS.slice(0, 5))('without it nothing is told: %s', async (path, options) => {
    const wrong = [null, '', 'wrong', TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase()];
    for (const token of wrong) {
      const answer = await api.ask(path, { ...options, token });
      expect([token, answer.status, answer.json().code]).toEqual([token, 401, 'UNAUTHORIZED']);
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });

  test('another scheme, or a token that stands twice, is no token', async () => {
    for (const authorization of [
      `Basic ${TOKEN}`,
      TOKEN,
      `Bearer ${TOKEN} ${TOKEN}`,
      `Bearer ${TOKEN}, Bearer ${TOKEN}`,
    ]) {
      expect((await api.ask(SESSIONS, { token: null, headers: { authorization } })).status).toBe(401);
    }
  });

  test('the token of a daemon before this one is stale', async () => {
    const later = await serveApi({}, { auth: { token: `${TOKEN}-later` } });
    expect((await later.ask(SESSIONS)).status).toBe(401);
    expect((await later.ask(SESSIONS, { token: `${TOKEN}-later` })).status).toBe(200);
    await later.stop();
  });

  test.each(KINDS)('a token in an address is refused, even beside a good one: %s', async (path, options) => {
    for (const name of ['token', 'TOKEN', 'access_token', 'to%6ben']) {
      const asked = `${path}${path.includes('?') ? '&' : '?'}${name}=${TOKEN}`;
      const answer = await api.ask(asked, options);
      expect([asked, answer.status, answer.json().code]).toEqual([asked, 400, 'BAD_REQUEST']);
      expect(answer.text).not.toContain(TOKEN);
    }
  });

  test('what is open to all tells nothing of the sessions', async () => {
    for (const path of ['/api/v1/health', '/api/v1/ready', '/api/v1/openapi.json', '/', '/docs']) {
      expect((await api.ask(path, { token: null })).status).toBe(200);
    }
  });
});

describe('a browser', () => {
  const origin = () => `http://127.0.0.1:${api.port}`;

  async function followLink(headers: Record<string, string> = {}) {
    const { url } = (await api.ask('/api/v1/login-links', { method: 'POST' })).json();
    const { pathname, search } = new URL(`${url}`);
    return { path: pathname + search, open: () => api.ask(pathname + search, { token: null, headers }) };
  }

  async function signIn(): Promise<{ cookie: string; id: string }> {
    const { headers } = await (await followLink({ 'user-agent': 'a browser of the tests' })).open();
    const cookie = headers['set-cookie']![0]!.split(';')[0]!;
    const { browsers } = (await api.ask('/api/v1/browsers', { token: null, headers: { cookie } })).json() as {
      browsers: { id: string; current: boolean }[];
    };
    return { cookie, id: browsers.find(({ current }) => current)!.id };
  }

  test('follows a link, and has a cookie that no script and no other site can use', async () => {
    const answer = await (await followLink()).open();
    expect([answer.status, answer.headers.location]).toEqual([303, '/']);
    const [cookie] = answer.headers['set-cookie']!;
    expect(cookie).toMatch(/^agent_mux_[0-9a-f]+=[a-z0-9]+\.[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/);
    const asked = await api.ask(SESSIONS, { token: null, headers: { cookie: `other=1; ${cookie!.split(';')[0]}` } });
    expect(asked.status).toBe(200);
  });

  test('cannot use a code twice, nor one that is old, nor another', async () => {
    const link = await followLink();
    expect((await link.open()).status).toBe(303);
    const again = await link.open();
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
    const old = await followLink();
    api.now += 5 * 60_000;
    expect((await old.open()).status).toBe(401);
    expect((await api.ask('/login?code=guessed', { token: null })).status).toBe(401);
    expect((await api.ask('/login', { token: null })).status).toBe(422);
  });

  test('does not use the link up by looking ahead', async () => {
    const link = await followLink();
    expect((await api.ask(link.path, { token: null, method: 'HEAD' })).status).toBe(403);
    expect((await api.ask(link.path, { token: null, headers: { 'sec-purpose': 'prefetch;prerender' } })).status).toBe(
      403,
    );
    expect((await link.open()).status).toBe(303);
  });

  test('is known by a hash alone', async () => {
    const { cookie } = await signIn();
    const secret = cookie.split('.')[1]!;
    const records = JSON.stringify(await api.store.listRecords('browser'));
    expect(records).toContain('a browser of the tests');
    expect(records).not.toContain(secret);
    const listed = (await api.ask('/api/v1/browsers')).text;
    expect(listed).not.toMatch(/hash/);
  });

  test('that was signed out is nobody, and its streams end', async () => {
    const { cookie, id } = await signIn();
    const stream = api.ask(`${SESSIONS}/one/events`, { token: null, headers: { cookie, accept: 'text/event-stream' } });
    await expect.poll(() => api.service.waiting()).toBe(1);
    expect((await api.ask(`/api/v1/browsers/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await stream).status).toBe(200);
    expect((await api.ask(SESSIONS, { token: null, headers: { cookie } })).status).toBe(401);
    expect((await api.ask(`/api/v1/browsers/${id}`, { method: 'DELETE' })).status).toBe(404);
    const { entries } = (await api.ask('/api/v1/audit?limit=500')).json() as { entries: Record<string, unknown>[] };
    expect(entries.slice(-3)).toMatchObject([
      { who: 'token', action: 'browser.invite' },
      { who: `browser:${id}`, action: 'browser.sign-in' },
      { who: 'token', action: 'browser.sign-out', detail: { id } },
    ]);
  });

  test('is signed out after its time', async () => {
    const { cookie } = await signIn();
    api.now += 31 * 24 * 3_600_000;
    expect((await api.ask(SESSIONS, { token: null, headers: { cookie } })).status).toBe(401);
  });

  test('with a forged, doubled or foreign cookie is nobody', async () => {
    const { cookie, id } = await signIn();
    const name = cookie.split('=')[0]!;
    for (const forged of [
      `${name}=${id}.`,
      `${name}=${id}.x`,
      `${name}=${id}`,
      `${name}=.x`,
      `other=${cookie.split('=')[1]}`,
      `${cookie}; ${cookie}`,
    ]) {
      expect([forged, (await api.ask(SESSIONS, { token: null, headers: { cookie: forged } })).status]).toEqual([
        forged,
        401,
      ]);
    }
  });

  test('changes something only when it tells its origin', async () => {
    const { cookie } = await signIn();
    const order = { method: 'POST', body: {}, token: null };
    expect((await api.ask(`${SESSIONS}/one/park`, { ...order, headers: { cookie } })).status).toBe(403);
    expect((await api.ask(`${SESSIONS}/one/park`, { ...order, headers: { cookie, origin: origin() } })).status).toBe(
      200,
    );
  });

  test('with a wrong token is refused, whatever its cookie', async () => {
    const { cookie } = await signIn();
    expect((await api.ask(SESSIONS, { token: 'wrong', headers: { cookie } })).status).toBe(401);
  });
});
