import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '@agent-mux/core/light';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from './client.ts';

const TOKEN = 'of-this-user';
const home = mkdtempSync(join(tmpdir(), 'agent-mux-client-'));
const env = { ...process.env, XDG_STATE_HOME: home };
let server: Server;
let url: string;

/** This process acts as the daemon: its record has this process id. */
beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${TOKEN}`;
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ status: 'ok', pid: process.pid }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = join(home, 'agent-mux/daemon');
  mkdirSync(folder, { recursive: true });
  const record = { schema: 'agent-mux.daemon/1', ...identityOf(process.pid), url, version: '0', startedAt: 0 };
  writeFileSync(join(folder, 'daemon.json'), JSON.stringify(record));
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`, { mode: 0o600 });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

describe('connect', () => {
  it("finds this user's daemon and its token", async () => {
    await using client = connect({ env });
    expect(await client.health()).toMatchObject({ status: 'ok', pid: process.pid });
  });

  it('accepts an address with its own token or that of this user', async () => {
    await using given = connect({ url, token: TOKEN, env: {} });
    await using own = connect({ url, env });
    expect(await Promise.all([given.health(), own.health()])).toHaveLength(2);
    await using wrong = connect({ url, token: 'wrong' });
    await expect(wrong.health()).rejects.toMatchObject({ code: 'AUTH_ERROR', status: 401 });
  });

  it('does not start a daemon if disabled, and gives a hint', async () => {
    await using client = connect({ env: { XDG_STATE_HOME: join(home, 'empty') }, start: false });
    const error = { code: 'NETWORK_ERROR', message: 'the daemon is not running', hint: 'run "amux up" to start it' };
    await expect(client.sessions.list()).rejects.toMatchObject(error);
  });

  it('loads no schemas, adapters or connection modules before the first call', () => {
    const program = `import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      await import('agent-mux/client');
      const heavy = /zod|hono|\\/adapters\\/|\\/daemon\\/|\\/core\\/src\\/index/;
      const own = process.moduleLoadList.filter((name) => /NativeModule (http|internal\\/deps\\/undici\\/undici)$/.test(name));
      console.log(JSON.stringify([...loaded.filter((url) => heavy.test(url)), ...own]));`;
    const flags = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', program], { cwd: import.meta.dirname });
    expect([`${stdout}`.trim(), `${stderr}`]).toEqual(['[]', '']);
  });
});
