import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newUser, openClient, type User } from './configured.ts';

const LIMIT = { timeout: 30_000 };

async function serve(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const proxyAt = (url: string, headers = {}) =>
  newUser([{ id: 'proxy', profile: 'generic-http', http: { base_url: `${url}/v1/chat`, headers } }]);

/** A command in its own folder, first on PATH. */
function withCommand(user: User, name: string, script: string): User {
  const bin = join(user.home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...user, env: { ...user.env, PATH: `${bin}:${user.env.PATH}` } };
}

describe('health of an agent over HTTP', () => {
  it('is that of its endpoint, without sending a prompt', LIMIT, async () => {
    const seen: string[] = [];
    const { url, close } = await serve(({ method, url: path, headers }, response) => {
      seen.push(`${method} ${path} ${headers.authorization}`);
      response.writeHead(405).end();
    });
    const client = openClient(proxyAt(url, { Authorization: 'Bearer k' }));
    expect(await client.health('proxy')).toMatchObject({
      healthy: true,
      message: `proxy at ${url} answers (405 to HEAD)`,
      details: { url, status: 405 },
    });
    expect(seen).toEqual(['HEAD /v1/chat Bearer k']);
    await close();
    expect(await client.health('proxy')).toMatchObject({
      healthy: false,
      message: expect.stringMatching(/nothing answers at .*ECONNREFUSED/),
      details: { url },
    });
  });

  it.each([401, 503])('is bad for status %i', LIMIT, async (status) => {
    const { url } = await serve((_, response) => response.writeHead(status).end());
    expect(await openClient(proxyAt(url)).health('proxy')).toMatchObject({ healthy: false, details: { status } });
  });

  it('is bad within 5 s if nothing ever answers', LIMIT, async () => {
    const { url } = await serve(() => {});
    const startedAt = performance.now();
    expect(await openClient(proxyAt(url)).health('proxy')).toMatchObject({ healthy: false });
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  it('is bad if its definition refers to a missing variable', LIMIT, async () => {
    const { url } = await serve((_, response) => response.end());
    const user = proxyAt(url, { Authorization: '$' + '{env:NO_SUCH_KEY}' });
    expect(await openClient(user).health('proxy')).toMatchObject({
      healthy: false,
      message: expect.stringContaining('NO_SUCH_KEY is not set'),
    });
  });
});

describe('health of an OpenCode server', () => {
  const at = (url: string) => openClient({ ...newUser([]), env: { ...newUser([]).env, OPENCODE_BASE_URL: url } });

  it('is good if one answers, and bad if nothing or another server does', LIMIT, async () => {
    const one = await serve((_, response) => response.end('{"healthy":true,"version":"1.0.0"}'));
    expect(await at(one.url).health('opencode-http')).toMatchObject({ healthy: true });
    const other = await serve((_, response) => response.end('<html>welcome</html>'));
    expect(await at(other.url).health('opencode-http')).toMatchObject({
      healthy: false,
      message: expect.stringContaining('not the expected server'),
    });
    await one.close();
    const missing = at(one.url);
    expect(await missing.health('opencode-http')).toMatchObject({
      healthy: false,
      message: expect.stringContaining('nothing answers'),
    });
    const findings = await missing.doctor({ agents: ['opencode-http'] });
    expect(findings).toContainEqual(expect.objectContaining({ check: 'server', level: 'error' }));
  });
});

describe('health of a command', () => {
  it('is bad if the version command fails, even if it was good before', LIMIT, async () => {
    const user = withCommand(newUser([]), 'copilot', 'echo 1.2.3; exit $(cat "$HOME/code")');
    const say = (code: number) => writeFileSync(join(user.home, 'code'), String(code));
    const client = openClient(user);
    say(0);
    expect(await client.health('copilot')).toMatchObject({ healthy: true, message: 'copilot 1.2.3' });
    say(3);
    expect(await client.health('copilot')).toMatchObject({
      healthy: false,
      message: 'copilot fails: "copilot --version" ended with code 3: 1.2.3',
      details: { installed: true, version: '1.2.3' },
    });
    const findings = await client.doctor({ agents: ['copilot'] });
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'version', level: 'warning', message: expect.stringContaining('code 3') }),
    );
  });

  it('is bad if it cannot be run at all', LIMIT, async () => {
    const user = withCommand(newUser([]), 'copilot', '');
    writeFileSync(join(user.home, 'bin', 'copilot'), '#!/no/such/interpreter\n');
    expect(await openClient(user).health('copilot')).toMatchObject({
      healthy: false,
      message: expect.stringMatching(/"copilot --version" could not be run/),
    });
  });

  it('is that of an existing command for a definition, which is not run to find out', LIMIT, async () => {
    const job = { id: 'job', profile: 'generic-job', job: { command: 'tool', work_dir: '~' } };
    const user = withCommand(
      newUser([job, { ...job, id: 'lost', job: { command: 'no-such-tool' } }]),
      'tool',
      'exit 7',
    );
    const client = openClient(user);
    expect(await client.health('job')).toMatchObject({ healthy: true, message: expect.stringContaining('/bin/tool') });
    expect(await client.health('lost')).toMatchObject({ healthy: false, message: 'lost is not installed' });
  });
});
