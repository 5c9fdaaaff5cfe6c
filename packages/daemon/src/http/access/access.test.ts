import { webcrypto } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AskOptions, type ServedApi, serveApi, TOKEN } from '../../../test/served-api.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.stop());

const SESSIONS = '/api/v1/sessions';
/** One of every kind: data, an action, a stream, a file, a public route, a page, an unknown path. */
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

describe('request guard', () => {
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

  test('accepts loopback host names with a matching origin', async () => {
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

  test('refuses a page of another port without an origin by Sec-Fetch-Site', async () => {
    for (const site of ['cross-site', 'same-site', 'nonsense']) {
      const answer = await api.ask(SESSIONS, { headers: { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' } });
      expect([site, answer.status]).toEqual([site, 403]);
    }
    expect((await api.ask(SESSIONS, { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
    const followed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await api.ask('/docs', { headers: followed })).status).toBe(200);
    expect((await api.ask('/docs', { headers: { ...followed, 'sec-fetch-mode': 'no-cors' } })).status).toBe(403);
  });

  test('sends no CORS headers', async () => {
    for (const [path, options] of KINDS.filter(([, { headers }]) => !headers)) {
      const { headers } = await api.ask(path, options);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('token', () => {
  test.each(KINDS.slice(0, 5))('is required for %s', async (path, options) => {
    const wrong = [null, '', 'wrong', TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase()];
    for (const token of wrong) {
      const answer = await api.ask(path, { ...options, token });
      expect([token, answer.status, answer.json().code]).toEqual([token, 401, 'UNAUTHORIZED']);
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });

  test('is refused with another scheme or if repeated', async () => {
    for (const authorization of [
      `Basic ${TOKEN}`,
      TOKEN,
      `Bearer ${TOKEN} ${TOKEN}`,
      `Bearer ${TOKEN}, Bearer ${TOKEN}`,
    ]) {
      expect((await api.ask(SESSIONS, { token: null, headers: { authorization } })).status).toBe(401);
    }
  });

  test('is refused if it belongs to an earlier daemon', async () => {
    const later = await serveApi({}, { auth: { token: `${TOKEN}-later` } });
    expect((await later.ask(SESSIONS)).status).toBe(401);
    expect((await later.ask(SESSIONS, { token: `${TOKEN}-later` })).status).toBe(200);
    await later.stop();
  });

  test.each(KINDS)('refuses a token in the URL, even with a valid header: %s', async (path, options) => {
    for (const name of ['token', 'TOKEN', 'access_token', 'to%6ben']) {
      const asked = `${path}${path.includes('?') ? '&' : '?'}${name}=${TOKEN}`;
      const answer = await api.ask(asked, options);
      expect([asked, answer.status, answer.json().code]).toEqual([asked, 400, 'BAD_REQUEST']);
      expect(answer.text).not.toContain(TOKEN);
    }
  });

  test('is not needed for public routes, which reveal nothing about sessions', async () => {
    for (const path of ['/api/v1/health', '/api/v1/ready', '/api/v1/openapi.json', '/', '/docs']) {
      expect((await api.ask(path, { token: null })).status).toBe(200);
    }
  });
});

describe('browser', () => {
  const origin = () => `http://127.0.0.1:${api.port}`;

  interface SignedIn {
    id: string;
    /** Defaults to this origin and the nonce of this daemon. */
    show(other?: { origin?: string; nonce?: string }): Promise<{ authorization: string }>;
  }

  async function newCode(): Promise<string> {
    const { url } = (await api.ask('/api/v1/login-links', { method: 'POST' })).json();
    return new URLSearchParams(new URL(`${url}`).hash.slice(1)).get('login')!;
  }

  async function newKey() {
    const pair = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
    const publicKey = Buffer.from(await webcrypto.subtle.exportKey('raw', pair.publicKey)).toString('base64url');
    return { key: pair.privateKey, publicKey };
  }

  const sendCode = (code: string, publicKey: string) =>
    api.ask('/api/v1/browsers', {
      method: 'POST',
      token: null,
      body: { code, publicKey },
      headers: { origin: origin() },
    });

  async function nonceOf(asked = api): Promise<string> {
    return String((await asked.ask('/api/v1/health', { token: null })).headers['agent-mux-nonce']);
  }

  async function signIn(): Promise<SignedIn> {
    const { key, publicKey } = await newKey();
    const { id } = (await sendCode(await newCode(), publicKey)).json() as { id: string };
    return {
      id,
      async show(other = {}) {
        const text = `agent-mux browser\n${other.origin ?? origin()}\n${other.nonce ?? (await nonceOf())}`;
        const signed = await webcrypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, Buffer.from(text));
        return { authorization: `Bearer ${id}.${Buffer.from(signed).toString('base64url')}` };
      },
    };
  }

  const read = async (headers: Record<string, string>) => (await api.ask(SESSIONS, { token: null, headers })).status;

  test('signs in with a key and gets no cookie', async () => {
    const { publicKey } = await newKey();
    const answer = await sendCode(await newCode(), publicKey);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([201, undefined]);
    const browser = await signIn();
    expect(await read(await browser.show())).toBe(200);
    const refused = await api.ask(SESSIONS, { token: null });
    expect(refused.headers['www-authenticate']).toContain(`nonce="${await nonceOf()}"`);
  });

  test('is refused with a signature for another port, host, nonce or daemon start', async () => {
    const browser = await signIn();
    expect(await read(await browser.show({ origin: `http://127.0.0.1:${api.port + 1}` }))).toBe(401);
    const localhost = { origin: `http://localhost:${api.port}`, host: `localhost:${api.port}` };
    expect(await read({ ...(await browser.show({ origin: localhost.origin })), ...localhost })).toBe(401);
    expect(await read(await browser.show({ nonce: 'another' }))).toBe(401);
    const other = await serveApi();
    expect(await nonceOf(other)).not.toBe(await nonceOf());
    await other.stop();
  });

  test('can use a code only once and before it expires', async () => {
    const { publicKey } = await newKey();
    const code = await newCode();
    expect((await sendCode(code, publicKey)).status).toBe(201);
    expect((await sendCode(code, publicKey)).status).toBe(401);
    const old = await newCode();
    api.now += 5 * 60_000;
    expect((await sendCode(old, publicKey)).status).toBe(401);
    expect((await sendCode('guessed', publicKey)).status).toBe(401);
    expect((await sendCode(await newCode(), 'A'.repeat(87))).status).toBe(422);
  });

  test('is stored with its public key only', async () => {
    await signIn();
    const listed = (await api.ask('/api/v1/browsers')).text;
    expect(listed).not.toMatch(/publicKey/);
  });

  test('is signed out with its open streams, which is audited', async () => {
    const browser = await signIn();
    const { id } = browser;
    const stream = api.ask(`${SESSIONS}/one/events`, {
      token: null,
      headers: { ...(await browser.show()), accept: 'text/event-stream' },
    });
    await expect.poll(() => api.service.waiting()).toBe(1);
    expect((await api.ask(`/api/v1/browsers/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await stream).status).toBe(200);
    expect(await read(await browser.show())).toBe(401);
    expect((await api.ask(`/api/v1/browsers/${id}`, { method: 'DELETE' })).status).toBe(404);
    const { entries } = (await api.ask('/api/v1/audit?limit=500')).json() as { entries: Record<string, unknown>[] };
    expect(entries.slice(-3)).toMatchObject([
      { actor: 'token', action: 'browser.login-link' },
      { actor: `browser:${id}`, action: 'browser.sign-in' },
      { actor: 'token', action: 'browser.sign-out', detail: { id } },
    ]);
  });

  test('is signed out after its lifetime', async () => {
    const browser = await signIn();
    api.now += 31 * 24 * 3_600_000;
    expect(await read(await browser.show())).toBe(401);
  });

  test('is refused with a modified signature', async () => {
    const browser = await signIn();
    const stranger = await signIn();
    const [, signature] = (await browser.show()).authorization.split('.');
    for (const forged of [
      `${browser.id}.`,
      `${browser.id}.x`,
      browser.id,
      `.${signature}`,
      `${stranger.id}.${signature}`,
    ])
      expect([forged, await read({ authorization: `Bearer ${forged}` })]).toEqual([forged, 401]);
  });

  test('needs its own origin for changes', async () => {
    const shown = await (await signIn()).show();
    const park = (headers: Record<string, string>) =>
      api.ask(`${SESSIONS}/one/park`, { method: 'POST', body: {}, token: null, headers });
    expect((await park(shown)).status).toBe(403);
    expect((await park({ ...shown, origin: origin() })).status).toBe(200);
  });

  test('cannot set anything that runs a program without an agent', async () => {
    const shown = { ...(await (await signIn()).show()), origin: origin() };
    const ask = async (method: string, path: string, body: unknown) => {
      const answer = await api.ask(path, { method, body, token: null, headers: shown });
      return [answer.status, answer.json().code];
    };
    const forbidden = [403, 'FORBIDDEN'];
    const command = { type: 'command', command: ['/bin/sh', '-c', 'id'] };
    expect(await ask('PATCH', '/api/v1/settings', { notify: { targets: { shell: command } } })).toEqual(forbidden);
    const session = { agent: 'demo', cwd: api.workspace };
    for (const options of [
      { mcpServers: { x: { command: '/bin/sh' } } },
      { invocation: { kind: 'local' } },
      { env: { PATH: '/evil' } },
      { inheritEnv: true },
      { tracePath: '/tmp/x' },
    ]) {
      expect([options, ...(await ask('POST', SESSIONS, { ...session, options }))]).toEqual([options, ...forbidden]);
      const schedule = { cron: '0 0 * * *', session: { ...session, options } };
      expect(await ask('POST', '/api/v1/schedules', schedule)).toEqual(forbidden);
    }
    expect(await ask('POST', SESSIONS, { ...session, env: { PATH: '/evil' } })).toEqual(forbidden);
    expect(await ask('POST', SESSIONS, { ...session, hostEnv: { PATH: '/evil' } })).toEqual(forbidden);
    expect(await ask('POST', `${SESSIONS}/one/restore`, { env: { PATH: '/evil' } })).toEqual(forbidden);
    expect((await ask('PATCH', '/api/v1/settings', { maxLiveSessions: 5 }))[0]).toBe(200);
    expect(
      (await api.ask('/api/v1/settings', { method: 'PATCH', body: { notify: { targets: { shell: command } } } }))
        .status,
    ).toBe(200);
  });

  test('is refused with a wrong token, whatever else it sends', async () => {
    expect((await api.ask(SESSIONS, { token: 'wrong' })).status).toBe(401);
  });
});
