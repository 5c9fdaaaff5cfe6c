import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { useScratch } from '../../test/scratch.ts';
import { checkAuth } from '../adapter/auth-checks.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import { Registry } from '../registry/registry.ts';
import { AUTH_LIMIT_MS, Auth } from './auth.ts';

const scratch = useScratch();

function auth(env: NodeJS.ProcessEnv, ...adapters: AgentAdapter[]): Auth {
  const registry = new Registry({ env });
  for (const adapter of adapters) registry.register(adapter);
  return new Auth({ adapters: registry, env });
}

describe('checking logins', () => {
  it("checks every agent with the client's environment and gives up on hanging ones", async () => {
    const { env, write } = scratch();
    write('.acme', '{"user":"me"}');
    const hangs = plainAdapter('hangs', { detectAuth: () => new Promise(() => {}) });
    const acme = plainAdapter('acme', { detectAuth: (at) => checkAuth([{ file: '~/.acme', method: 'oauth' }], at) });
    const fails = plainAdapter('fails', { detectAuth: () => Promise.reject(new Error('no disk')) });
    const start = performance.now();
    expect(await auth(env, hangs, acme, fails).checkAll()).toEqual([
      { agent: 'acme', status: 'authenticated', method: 'oauth', details: '~/.acme is present' },
      { agent: 'fails', status: 'unknown', details: 'detectAuth() of the adapter "fails" failed: no disk' },
      { agent: 'hangs', status: 'unknown', details: 'no answer within 100 ms' },
    ]);
    expect(performance.now() - start).toBeLessThan(10 * AUTH_LIMIT_MS);
  });

  it('does not count time in which this process was busy', async () => {
    const { env } = scratch();
    const slow = plainAdapter('slow', {
      detectAuth: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        const until = performance.now() + 2 * AUTH_LIMIT_MS;
        while (performance.now() < until);
        await new Promise((resolve) => setImmediate(resolve));
        return { status: 'authenticated' };
      },
    });
    expect(await auth(env, slow).check('slow')).toMatchObject({ status: 'authenticated' });
  });

  it('redacts secrets in whatever an adapter returns', async () => {
    const env = { ACME_API_KEY: 'opensesame-42' };
    const leaks = plainAdapter('leaks', {
      detectAuth: async (at) => ({
        status: 'authenticated',
        identity: `me with ${at?.ACME_API_KEY}`,
        details: 'Bearer abcdefghijklmnop',
      }),
    });
    const text = JSON.stringify(await auth(env, leaks).check('leaks'));
    expect(text).not.toContain('opensesame');
    expect(text).not.toContain('abcdefgh');
    expect(text).toContain('me with');
  });

  it('rejects an unknown agent', async () => {
    await expect(auth({}).check('unknown')).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });
});

describe('guidance', () => {
  const acme = plainAdapter('acme', {
    getAuthGuidance: () => ({
      agent: 'acme',
      steps: ['Run `acme login`.'],
      methods: [
        { type: 'browser_login', name: 'Account', command: 'acme login' },
        { type: 'api_key', name: 'Key', envVars: ['ACME_KEY'] },
      ],
    }),
  });

  it('lists the commands for each platform', async () => {
    const guide = await auth({}, acme).guidance('acme', 'linux');
    expect(guide).toMatchObject({ agent: 'acme', platform: 'linux', steps: ['Run `acme login`.'] });
    expect(guide.commands.map(({ command }) => command)).toEqual(['acme login', "export ACME_KEY='...'"]);
    const windows = await auth({}, acme).guidance('acme', 'win32');
    expect(windows.commands.map(({ command }) => command)).toEqual(['acme login', "$env:ACME_KEY = '...'"]);
  });
});
