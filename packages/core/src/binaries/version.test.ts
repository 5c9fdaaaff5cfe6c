import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../test/engine.ts';
import { startHost } from '../../test/run-host.ts';
import { compareVersions, parseVersion, readVersion } from './version.ts';

describe('parseVersion', () => {
  it.each([
    ['2.1.7 (Claude Code)', '2.1.7'],
    ['codex-cli 0.125.0', '0.125.0'],
    ['opencode v1.2.3-beta.1+build.5\n', '1.2.3-beta.1+build.5'],
    ['Update available 9.9.9? no\nversion: 1.0.0', '9.9.9'],
    ['GitHub Copilot CLI 1.0.34.', '1.0.34'],
    ['2025.09.18-7ae6800', '2025.09.18-7ae6800'],
    ['acme 1.4', '1.4.0'],
    ['listening on 127.0.0.1, acme 3.2.1', '3.2.1'],
  ])('finds the version in %j', (text, version) => {
    expect(parseVersion(text)).toBe(version);
  });

  it.each(['', 'no version', 'x1.2.3', '127.0.0.1', 'v7'])('finds none in %j', (text) => {
    expect(parseVersion(text)).toBeNull();
  });
});

describe('compareVersions', () => {
  // The order that semver.org gives as its example.
  const ORDER = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.10',
    '1.2.0',
    '10.0.0',
  ];

  it('orders releases and prereleases', () => {
    fc.assert(
      fc.property(fc.nat(ORDER.length - 1), fc.nat(ORDER.length - 1), (i, j) => {
        expect(compareVersions(ORDER[i] ?? '', ORDER[j] ?? '')).toBe(Math.sign(i - j));
      }),
    );
  });

  it('ignores the build and a leading v', () => {
    expect(compareVersions('v1.2.3+a', '1.2.3+b')).toBe(0);
    expect(compareVersions('1.2', '1.2.0')).toBe(0);
  });
});

describe.skipIf(process.platform === 'win32')('readVersion', () => {
  let folder: string;
  const script = async (name: string, body: string) => {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${body}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const env = { PATH: process.env.PATH ?? '' };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'version-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('reads stdout or stderr, whatever the exit code', async () => {
    expect(await readVersion({ command: await script('out', 'echo "out 1.2.3"; exit 3'), env })).toBe('1.2.3');
    const needy = await script('needy', 'echo "needs node 22.1.0" >&2; exit 1');
    expect(await readVersion({ command: needy, env })).toBeNull();
    expect(await readVersion({ command: await script('err', 'echo "err 4.5.6" >&2'), env })).toBe('4.5.6');
  });

  it('passes the arguments and only the specified environment', async () => {
    const command = await script('args', '[ "$1" = version ] && [ -z "$HOME" ] && echo 1.0.0');
    expect(await readVersion({ command, args: ['version'], env })).toBe('1.0.0');
  });

  it('returns null for a command that cannot be started or prints nothing', async () => {
    expect(await readVersion({ command: join(folder, 'missing'), env })).toBeNull();
    expect(await readVersion({ command: await script('quiet', 'exit 0'), env })).toBeNull();
  });

  it('ends a hanging command with its children and uses its output so far', async () => {
    const pidFile = join(folder, 'pid');
    const command = await script('hang', `sleep 300 & echo $! > ${pidFile}; echo "hang 7.0.0"; wait`);
    expect(await readVersion({ command, env, timeoutMs: 1000 })).toBe('7.0.0');
    const pid = Number(await readFile(pidFile, 'utf8'));
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  it('returns null if the system rejects the spawn', async () => {
    expect(await readVersion({ command: await script('nul', 'echo 1.0.0'), args: ['a\0b'], env })).toBeNull();
  });

  it.runIf(process.platform === 'linux')(
    'ends a child that left its process group without waiting for it',
    async () => {
      const pidFile = join(folder, 'session');
      const command = await script('leave', `setsid sh -c 'echo $$ > ${pidFile}; exec sleep 300' & wait`);
      const over = new AbortController();
      const asked = readVersion({ command, env, signal: over.signal });
      await expect.poll(() => readFile(pidFile, 'utf8').catch(() => ''), { timeout: 10_000 }).toMatch(/\n/);
      over.abort();
      expect(await asked).toBeNull();
      const pid = Number(await readFile(pidFile, 'utf8'));
      await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
    },
  );

  it.runIf(process.platform === 'linux')('leaves no process behind after SIGKILL of the host', async () => {
    const pidFile = join(folder, 'killed');
    const command = await script('slow', `trap '' TERM; setsid sleep 300 & echo $$ $! > ${pidFile}; wait; sleep 300`);
    const { child, finished } = startHost('version.ts', [command]);
    await expect.poll(() => readFile(pidFile, 'utf8').catch(() => ''), { timeout: 10_000 }).toMatch(/\n/);
    child.kill('SIGKILL');
    await finished;
    const pids = (await readFile(pidFile, 'utf8')).split(' ').map(Number);
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });
});
