import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useMachines } from './daemons.ts';
import { openFuzzer } from './fuzz-routes.ts';
import { askServer } from './served-api.ts';

const machines = useMachines();

describe('daemon', () => {
  it('answers as documented to valid and invalid input on every route', {
    timeout: 240_000,
  }, async () => {
    const machine = await machines.start();
    const { client, work, until, url, token } = machine;
    for (const prompt of ['hello', 'write a.txt', 'ask me a question']) {
      const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt });
      await until(id, ({ turns, openRequests }) => turns > 0 || openRequests > 0);
    }
    await client.files.upload('a.txt', Buffer.from('a'));
    const port = Number(new URL(url).port);
    const { walk, succeeded } = await openFuzzer((path, options) => askServer(port, path, { token, ...options }));
    await walk({ runs: Number(process.env.FUZZ_RUNS ?? 6), rounds: 2, leaveOut: ['shutdown'] }).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${machine.log()}`, { cause: error });
      },
    );
    expect(machine.log()).not.toContain('a request failed');
    expect([...succeeded]).toEqual(
      expect.arrayContaining(['listSessions', 'getSession', 'listEvents', 'listRequests', 'getUsage']),
    );
    expect(await client.health()).toMatchObject({ status: 'ok' });
  });

  it('makes all its files private to the owner', async () => {
    const { client, work, until, paths } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'write a.txt' });
    await until(id, ({ activity }) => activity === 'blocked');
    const open = readdirSync(paths.root, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect([statSync(paths.root).mode & 0o077, open]).toEqual([0, []]);
  });

  it.runIf(process.getuid?.() === 0)('is inaccessible to other users of the machine', async () => {
    const { client, work, until, paths, url, keeperOf } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'write a.txt' });
    await until(id, ({ activity }) => activity === 'blocked');
    const socket = keeperOf(id)?.socket ?? '';
    const script = `
      const fs = require('node:fs'), net = require('node:net'), http = require('node:http');
      const found = [];
      for (const path of ${JSON.stringify([paths.token, paths.database, join(paths.sessions, id, 'journal')])})
        try { fs.readdirSync(path); found.push(path); } catch (error) { if (error.code !== 'EACCES') found.push(path + error.code); }
      net.connect(${JSON.stringify(socket)}).on('error', ({ code }) => {
        if (code !== 'EACCES') found.push(code);
        http.get(${JSON.stringify(`${url}/api/v1/sessions`)}, ({ statusCode }) => {
          if (statusCode !== 401) found.push(statusCode);
          console.log(JSON.stringify(found));
          process.exit(0);
        });
      }).on('connect', () => { console.log('connected'); process.exit(1); });`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], {
      uid: 65_534,
      gid: 65_534,
      encoding: 'utf8',
      cwd: '/',
    });
    expect(stdout.trim()).toBe('[]');
  });
});
