import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventsOf, isAlive, nothingLeftOf, until, useBench } from '../../../test/engine.ts';
import { runHost } from '../../../test/run-host.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import { pidIn, SERVICE, SHARED, WithFile } from '../../../test/shared-service.ts';
import type { CoreClientOptions } from '../../client/client.ts';

const bench = useBench();
const service = (client?: CoreClientOptions) => bench.use(new ScriptAdapter(SERVICE, SHARED), client);

describe('a process that is kept between runs', () => {
  it('is the same for the next run, also for one that has the id of an earlier one', async () => {
    const { run } = service();
    const first = await run({ prompt: 'one', runId: 'twice' });
    const second = await run({ prompt: 'two', runId: 'twice' });
    expect(pidIn(second.text)).toBe(pidIn(first.text));
    expect([first.sessionId, second.sessionId]).toEqual(['twice', 'twice.2']);
  });

  it('is ended after a while without a run, or with the last one where that is wanted', async () => {
    const [soon, atOnce] = [service({ idleTimeout: 50 }), service({ idleTimeout: 0 })];
    const pid = pidIn((await soon.run({ prompt: 'x' })).text);
    await until(() => !isAlive(pid));
    expect(pidIn((await soon.run({ prompt: 'x' })).text)).not.toBe(pid);
    expect(isAlive(pidIn((await atOnce.run({ prompt: 'x' })).text))).toBe(false);
  });

  it('is replaced when it was killed, or its program, its arguments or its variables have changed', async () => {
    const env: NodeJS.ProcessEnv = { ...process.env, LANG: 'C' };
    const { run } = service({ env });
    const pids: number[] = [];
    const again = async () => void pids.push(pidIn((await run({ prompt: 'x' })).text));
    await again();
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await until(() => !isAlive(pids[0]));
    await again();
    env.LANG = 'en_US.UTF-8';
    await again();
    await again();
    expect(new Set(pids.slice(0, 3)).size).toBe(3);
    expect(pids[3]).toBe(pids[2]);
  });

  it('is replaced when the configuration of its agent has changed while it rested, and by nothing else', async () => {
    const folder = bench.folder();
    const adapter = new ScriptAdapter(SERVICE, SHARED);
    const schema = {
      agent: 'script',
      fields: [],
      configFilePaths: [join(folder, 'c.json')],
      projectConfigFilePaths: [],
    };
    Object.defineProperty(adapter, 'configSchema', { value: schema });
    const { run } = bench.use(adapter);
    const pid = async (prompt: string) => pidIn((await run({ prompt })).text);
    const first = await pid('a');
    expect(await pid('b')).toBe(first);
    writeFileSync(join(folder, 'c.json'), '{}');
    const second = await pid('c');
    expect(second).not.toBe(first);
    expect(await pid('d')).toBe(second);
  });

  it('keeps its helper files as long as it lives, and has an id of its own', async () => {
    const { run, client } = bench.use(new WithFile(SERVICE, SHARED));
    const first = run({ prompt: 'file' });
    const path = (await first).text.split(' ')[1] ?? '';
    expect(nothingLeftOf(first)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('for the agent');
    expect((await run({ prompt: 'file' })).text).toContain(path);
    await client.close();
    expect(existsSync(path)).toBe(false);
  });

  it('says what it wants of a session that never was to all, and of one that is over to nobody', async () => {
    const { run } = service();
    await run({ prompt: 'one', runId: 'over' });
    const handle = run({ prompt: 'strays' });
    const titles = (await eventsOf(handle)).flatMap((each) => (each.type === 'title' ? [each.title] : []));
    expect(titles).toContain('never');
    expect(titles).not.toContain('over');
  });

  it.each(['has nothing left to do', 'calls exit'])('goes with its host, which %s', async (how) => {
    const folder = bench.folder();
    const pids = await runHost('kept.ts', [how], { env: { TMPDIR: folder } });
    expect(pids).toHaveLength(2);
    for (const pid of z.array(z.number()).parse(pids)) expect(isAlive(pid)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });
});
