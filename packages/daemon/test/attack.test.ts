import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useMachines } from './daemons.ts';
import { openFuzzer } from './fuzz-routes.ts';
import { askServer } from './served-api.ts';

const machines = useMachines();

describe('the whole daemon', () => {
  it('walked by its own document, with good input and bad, never fails, and answers as documented', {
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
    const { walk, wentWell } = await openFuzzer((path, options) => askServer(port, path, { token, ...options }));
    await walk({ runs: Number(process.env.FUZZ_RUNS ?? 6), rounds: 2, leaveOut: ['shutDown'] }).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${machine.log()}`, { cause: error });
      },
    );
    expect(machine.log()).not.toContain('a request has failed');
    expect([...wentWell]).toEqual(
      expect.arrayContaining(['listSessions', 'getSession', 'readEvents', 'listRequests', 'readUsage']),
    );
    expect(await client.health()).toMatchObject({ status: 'ok' });
  });

  it('keeps everything that it has for its owner alone', async () => {
    const { client, work, until, places } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'write a.txt' });
    await until(id, ({ activity }) => activity === 'blocked');
    const open = readdirSync(places.root, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect([statSync(places.root).mode & 0o077, open]).toEqual([0, []]);
  });

  it.runIf(process.getuid?.() === 0)('tells another user of this machine nothing', async () => {
    const { client, work, until, places, url, keeperOf } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'write a.txt' });
    await until(id, ({ activity }) => activity === 'blocked');
    const socket = keeperOf(id)?.socket ?? '';
    const script = `
      const fs = require('node:fs'), net = require('node:net'), http = require('node:http');
      const told = [];
      for (const path of ${JSON.stringify([places.token, places.database, join(places.sessions, id, 'journal')])})
        try { fs.readdirSync(path); told.push(path); } catch (error) { if (error.code !== 'EACCES') told.push(path + error.code); }
      net.connect(${JSON.stringify(socket)}).on('error', ({ code }) => {
        if (code !== 'EACCES') told.push(code);
        http.get(${JSON.stringify(`${url}/api/v1/sessions`)}, ({ statusCode }) => {
          if (statusCode !== 401) told.push(statusCode);
          console.log(JSON.stringify(told));
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
