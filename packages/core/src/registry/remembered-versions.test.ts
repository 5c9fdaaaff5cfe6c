import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installCounting } from '../../test/counting-cli.ts';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { Registry } from './registry.ts';

let bin: string;
beforeEach(async () => {
  bin = await mkdtemp(join(tmpdir(), 'versions-'));
});
afterEach(() => rm(bin, { recursive: true, force: true }));

const install = (name: string, version?: string) => installCounting(bin, name, version);
const registry = (now?: () => number, env = {}) => new Registry({ env: { PATH: `${bin}:/usr/bin:/bin`, ...env }, now });

describe.skipIf(process.platform === 'win32')('cached CLI versions', () => {
  it('are queried again when the package of an unchanged launcher changed', async () => {
    const folder = join(bin, 'node_modules', 'acme');
    await mkdir(join(folder, 'dist'), { recursive: true });
    const starts = await install('launcher', '1.0.0');
    await rename(join(bin, 'launcher'), join(folder, 'dist', 'acme.js'));
    await symlink(join(folder, 'dist', 'acme.js'), join(bin, 'acme'));
    await writeFile(join(folder, 'package.json'), '{"version":"1.0.0"}');
    const detected = async () => {
      const mux = registry(undefined, { XDG_CACHE_HOME: join(bin, 'cache') });
      mux.register(plainAdapter('acme'));
      return (await mux.detect('acme'))?.version;
    };
    expect([await detected(), await detected()]).toEqual(['1.0.0', '1.0.0']);
    expect(await starts()).toBe(1);
    await writeFile(join(folder, 'package.json'), '{"version":"1.0.10"}');
    await detected();
    expect(await starts()).toBe(2);
  });

  it('are available as a snapshot that says whether they are current', async () => {
    await install('acme', '1.0.0');
    const mux = registry(undefined, { XDG_CACHE_HOME: join(bin, 'cache') });
    mux.register(plainAdapter('acme', { minVersion: '2.0.0' }));
    mux.register(plainAdapter('missing'));
    expect(await mux.glance()).toMatchObject([
      { info: { agent: 'acme', installed: true, version: null }, isCurrent: false },
      { info: { agent: 'missing', installed: false }, isCurrent: true },
    ]);
    await mux.detect('acme');
    expect((await mux.glance())[0]).toEqual({ info: await mux.detect('acme'), isCurrent: true });
    const starts = await install('acme', '2.0.0');
    expect((await mux.glance())[0]).toMatchObject({ info: { version: '1.0.0' }, isCurrent: false });
    expect(await starts()).toBe(0);
  });

  it('are queried again after an installation', async () => {
    const starts = await install('acme', '1.0.0');
    const mux = registry(undefined, { XDG_CACHE_HOME: join(bin, 'cache') });
    mux.register(plainAdapter('acme'));
    await mux.detect('acme');
    mux.forgetDetection('acme');
    await mux.detect('acme');
    expect(await starts()).toBe(2);
  });

  it('are not queried again for ten minutes if a CLI reports none, unless replaced', async () => {
    let starts = await install('acme', 'none');
    const versionAt = (now: number) => {
      const mux = registry(() => now, { XDG_CACHE_HOME: join(bin, 'cache') });
      mux.register(plainAdapter('acme'));
      return mux.version('acme');
    };
    const now = Date.now();
    expect([await versionAt(now), await versionAt(now + 60_000)]).toEqual([null, null]);
    expect(await starts()).toBe(1);
    await versionAt(now + 11 * 60_000);
    expect(await starts()).toBe(2);
    starts = await install('acme', '1.0.0');
    expect(await versionAt(now)).toBe('1.0.0');
  });

  it('are queried a few at a time', async () => {
    const log = join(bin, 'log');
    const names = Array.from({ length: 24 }, (_, at) => `cli-${at}`);
    const mux = registry();
    for (const name of names) {
      await writeFile(join(bin, name), `#!/bin/sh\necho + >> ${log}\nsleep 0.05\necho - >> ${log}\necho 1.0.0\n`);
      await chmod(join(bin, name), 0o755);
      mux.register(plainAdapter(name));
    }
    expect((await mux.installed()).map(({ version }) => version)).toEqual(names.map(() => '1.0.0'));
    let running = 0;
    let most = 0;
    for (const sign of (await readFile(log, 'utf8')).trim().split('\n')) {
      running += sign === '+' ? 1 : -1;
      most = Math.max(most, running);
    }
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
  });
});
