import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { useScratch } from '../../test/scratch.ts';
import { isRecord, valueAt } from '../values.ts';
import { AUTH_FILE_LIMIT, type AuthFile, checkAuth } from './auth-checks.ts';

const scratch = useScratch();
const NOW = Date.UTC(2030, 0, 1);
const FILE: AuthFile = { file: '~/.acme/login', method: 'oauth' };
const NAMED: AuthFile = {
  ...FILE,
  key: 'token',
  identity: (content) => {
    const who = valueAt(content, 'account.email');
    return typeof who === 'string' ? who : undefined;
  },
  expiresAt: (content) => {
    const end = valueAt(content, 'expires');
    return typeof end === 'number' ? end : undefined;
  },
};

function look(text: string, check: AuthFile = NAMED) {
  const { write, env } = scratch();
  write('.acme/login', text);
  return checkAuth([check], env, 'linux', NOW);
}

describe('login file', () => {
  it('reports identity and expiry but no secrets', async () => {
    const state = await look(`{ // a comment
      "token": "s3cr3t-value", "account": { "email": "me@example.org" }, "expires": ${NOW + 1} }`);
    expect(state).toEqual({
      status: 'authenticated',
      method: 'oauth',
      identity: 'me@example.org',
      expiresAt: NOW + 1,
      details: '~/.acme/login is present',
    });
    expect(JSON.stringify(state)).not.toContain('s3cr3t');
  });

  it('reads variables and ignores empty ones and comments', async () => {
    const check: AuthFile = { ...FILE, format: 'dotenv', key: 'ACME_KEY' };
    const state = await look('# ours\nOTHER=1\nexport ACME_KEY="s3cr3t"\n', check);
    expect(state).toEqual({ status: 'authenticated', method: 'oauth', details: '~/.acme/login is present' });
    for (const text of ['ACME_KEY=\n', '# ACME_KEY=s3cr3t\n', 'MY_ACME_KEY=s3cr3t\n', '\u0000not lines {'])
      expect(await look(text, check)).toEqual({ status: 'unauthenticated' });
  });

  it('expires at its last millisecond', async () => {
    expect(await look(`{"token":"x","expires":${NOW}}`)).toMatchObject({
      status: 'expired',
      expiresAt: NOW,
      details: '~/.acme/login has expired',
    });
  });

  it.each([
    ['toml', 'token = "x"\n[account]\nemail = "me@example.org"\n'],
    ['yaml', 'token: x\naccount:\n  email: me@example.org\n'],
    ['jsonc', '{"token":"x","account":{"email":"me@example.org"},}'],
  ] as const)('supports %s', async (format, text) => {
    expect(await look(text, { ...NAMED, format })).toMatchObject({
      status: 'authenticated',
      identity: 'me@example.org',
    });
  });

  it.each(['{"token": ', '\u0000\u0001', '{"token":"x"} trailing'])('is unknown if broken: %j', async (text) => {
    expect(await look(text)).toEqual({ status: 'unknown', details: '~/.acme/login cannot be read' });
  });

  it.each(['{}', '{"token":""}', '{"token":null}', '{"token":[]}', '{"token":{}}', '[]', '"token"', '3', ''])(
    'is not a login if empty: %j',
    async (text) => {
      expect(await look(text)).toEqual({ status: 'unauthenticated' });
    },
  );

  it('counts as a login even if its details have an unknown form', async () => {
    const check: AuthFile = {
      ...FILE,
      identity: () => {
        throw new Error('no such field');
      },
      expiresAt: () => Number.NaN,
    };
    expect(await look('{"a":1}', check)).toEqual({
      status: 'authenticated',
      method: 'oauth',
      details: '~/.acme/login is present',
    });
    const wrong = {
      ...FILE,
      identity: (content: unknown) => (isRecord(content) ? (content.who as string) : undefined),
    };
    expect(await look('{"who":{"name":"me"}}', wrong)).not.toHaveProperty('identity');
  });

  it('is not read when too large: present without a key, unknown with one', async () => {
    const large = `{"token":"x","pad":"${'x'.repeat(AUTH_FILE_LIMIT)}"}`;
    expect(await look(large)).toMatchObject({ status: 'unknown' });
    expect(await look(large, { ...FILE, identity: () => 'me' })).toEqual({
      status: 'authenticated',
      method: 'oauth',
      details: '~/.acme/login is present',
    });
  });

  it('is unknown if the path is a folder or a pipe without a writer', async () => {
    const { home, env } = scratch();
    mkdirSync(join(home, '.acme/login'), { recursive: true });
    expect(await checkAuth([FILE], env, 'linux', NOW)).toMatchObject({ status: 'unknown' });
    const other = scratch();
    mkdirSync(join(other.home, '.acme'));
    execFileSync('mkfifo', [join(other.home, '.acme/login')]);
    expect(await checkAuth([FILE], other.env, 'linux', NOW)).toMatchObject({ status: 'unknown' });
  });

  it.skipIf(process.getuid?.() === 0)('is unknown without read permission', async () => {
    const { write, env } = scratch();
    chmodSync(write('.acme/login', '{}'), 0);
    expect(await checkAuth([FILE], env, 'linux', NOW)).toMatchObject({ status: 'unknown' });
  });
});

describe('several login checks', () => {
  it('apply in order, with a valid login before an expired one', async () => {
    const { write, env } = scratch();
    write('.acme/login', `{"token":"x","expires":1}`);
    const key = { env: 'ACME_KEY', method: 'api_key' } as const;
    expect(await checkAuth([NAMED, key], { ...env, ACME_KEY: 'k' }, 'linux', NOW)).toEqual({
      status: 'authenticated',
      method: 'api_key',
      details: 'ACME_KEY is set',
    });
    expect(await checkAuth([NAMED, key, { unseen: 'a keychain' }], env, 'linux', NOW)).toMatchObject({
      status: 'expired',
    });
  });

  it('are unknown if one cannot be checked on this platform', async () => {
    const { env } = scratch();
    const checks = [NAMED, { unseen: 'it may be in the keychain', platforms: ['darwin'] as const }];
    expect(await checkAuth(checks, env, 'darwin', NOW)).toMatchObject({ status: 'unknown' });
    expect(await checkAuth(checks, env, 'linux', NOW)).toEqual({ status: 'unauthenticated' });
  });
});

describe('logins in a database', () => {
  const check = { database: '~/.acme/login.db', method: 'oauth', logins: 'SELECT who FROM logins' } as const;

  function withLogins(...who: string[]) {
    const { write, env } = scratch();
    write('.acme/login.db', '');
    using database = new DatabaseSync(join(env.HOME ?? '', '.acme/login.db'));
    database.exec('CREATE TABLE logins (who TEXT, secret TEXT)');
    for (const one of who) database.prepare('INSERT INTO logins VALUES (?, ?)').run(one, 's3cr3t-value');
    return env;
  }

  it('are reported by name only', async () => {
    const state = await checkAuth([check], withLogins('anthropic', 'openai'), 'linux', NOW);
    const details = '~/.acme/login.db has a login for anthropic, openai';
    expect(state).toEqual({ status: 'authenticated', method: 'oauth', details });
  });

  it('are absent without a row or file', async () => {
    expect(await checkAuth([check], withLogins(), 'linux', NOW)).toEqual({ status: 'unauthenticated' });
    expect(await checkAuth([check], scratch().env, 'linux', NOW)).toEqual({ status: 'unauthenticated' });
  });

  it('are unknown if the file is not a database or has another schema', async () => {
    const { write, env } = scratch();
    write('.acme/login.db', 'not a database');
    const unknown = { status: 'unknown', details: '~/.acme/login.db cannot be read' };
    expect(await checkAuth([check], env, 'linux', NOW)).toEqual(unknown);
    const other = { ...check, logins: 'SELECT who FROM nothing' };
    expect(await checkAuth([other], withLogins('a'), 'linux', NOW)).toEqual(unknown);
  });
});
