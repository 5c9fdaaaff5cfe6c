import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { installCounting } from '../../test/counting-cli.ts';
import { plainAdapter } from '../../test/plain-adapter.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { AuthState } from '../contract/auth-and-config.ts';
import { NO_CAPABILITIES } from '../contract/capabilities.ts';
import { ValidationError } from '../contract/errors.ts';
import { Registry } from './registry.ts';

let bin: string;
beforeEach(async () => {
  bin = await mkdtemp(join(tmpdir(), 'registry-'));
});
afterEach(() => rm(bin, { recursive: true, force: true }));

const install = (name: string, version?: string) => installCounting(bin, name, version);
const registry = (now?: () => number, env = {}) => new Registry({ env: { PATH: `${bin}:/usr/bin:/bin`, ...env }, now });

describe('registration', () => {
  it('lists registered agents sorted, with their source', () => {
    const mux = registry();
    expect(mux.list()).toEqual([]);
    mux.register(plainAdapter('zed', { minVersion: '1.0.0' }));
    mux.registerBuiltIn(plainAdapter('acme'));
    expect(mux.list()).toEqual([
      { agent: 'acme', displayName: 'ACME', cliCommand: 'acme', minVersion: undefined, source: 'built-in' },
      { agent: 'zed', displayName: 'ZED', cliCommand: 'zed', minVersion: '1.0.0', source: 'plugin' },
    ]);
    expect(mux.has('zed')).toBe(true);
  });

  it('lets a plugin replace a built-in and records it', () => {
    const mux = registry();
    const [builtIn, plugin, later] = [plainAdapter('acme'), plainAdapter('acme'), plainAdapter('acme')];
    mux.registerBuiltIn(builtIn);
    expect(mux.replacedBy('acme')).toBeUndefined();
    mux.register(plugin);
    expect(mux.get('acme').displayName).toBe(plugin.displayName);
    expect(mux.replacedBy('acme')).toBe('another adapter');
    expect(mux.list()).toMatchObject([{ source: 'plugin' }]);
    mux.register(later);
    expect(mux.get('acme').displayName).toBe(later.displayName);
    expect(mux.replacedBy('acme')).toBe('another adapter');
    mux.registerBuiltIn(builtIn);
    expect(mux.replacedBy('acme')).toBeUndefined();
  });

  it('replaces a plugin with a plugin silently', () => {
    const mux = registry();
    mux.register(plainAdapter('own'));
    mux.register(plainAdapter('own'));
    expect(mux.replacedBy('own')).toBeUndefined();
    expect(mux.list()).toHaveLength(1);
  });

  it('changes nothing when an adapter is rejected', () => {
    const mux = registry();
    const good = plainAdapter('acme');
    mux.register(good);
    expect(() => mux.register(plainAdapter('acme', { displayName: '' }))).toThrow(/displayName/);
    expect(() => mux.register(JSON.parse('null'))).toThrow(/must be an object/);
    expect(mux.get('acme').displayName).toBe(good.displayName);
  });

  it('forgets an unregistered agent but its runs keep the adapter', () => {
    const mux = registry();
    const held = plainAdapter('acme');
    mux.register(held);
    mux.unregister('acme');
    expect(mux.has('acme')).toBe(false);
    expect(held.parseEvent).toBeTypeOf('function');
    expect(() => mux.unregister('acme')).toThrow(expect.objectContaining({ code: 'UNKNOWN_AGENT' }));
  });

  it('collects the host signals of all agents', () => {
    const mux = registry();
    mux.register(plainAdapter('a', { hostEnvSignals: ['A', 'SHARED'] }));
    mux.register(plainAdapter('b', { hostEnvSignals: ['SHARED', 'B'] }));
    expect(mux.hostEnvSignals()).toEqual(['A', 'SHARED', 'B']);
  });
});

describe('adapter with a throwing getter', () => {
  it.each(['agent', 'displayName', 'modes'])('is rejected with a ValidationError: %s', (name) => {
    const adapter = Object.defineProperty(plainAdapter('acme'), name, {
      get: () => {
        throw new Error('not yours');
      },
    });
    expect(() => new Registry().register(adapter)).toThrow(ValidationError);
  });
});

describe('refusals', () => {
  it('suggests similar agent names', () => {
    const mux = registry();
    for (const name of ['claude', 'codex', 'pi']) mux.register(plainAdapter(name));
    expect(() => mux.get('cluade')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_AGENT', hint: 'did you mean claude?' }),
    );
    expect(() => mux.get('ip')).toThrow(expect.objectContaining({ hint: 'did you mean pi?' }));
    expect(() => mux.get('claude-code')).toThrow(expect.objectContaining({ hint: 'did you mean claude?' }));
    expect(() => mux.get('xyz')).toThrow(expect.objectContaining({ hint: 'known agents: claude, codex, pi' }));
    expect(() => mux.capabilities('codx')).toThrow(/unknown agent "codx"/);
    expect(() => mux.installInstructions('codx')).toThrow(expect.objectContaining({ code: 'UNKNOWN_AGENT' }));
    expect(() => mux.get('toString')).toThrow(expect.objectContaining({ code: 'UNKNOWN_AGENT' }));
  });

  it('explains how to install a missing agent on this platform', async () => {
    const mux = registry();
    const installMethods: AgentAdapter['installMethods'] = [
      { type: 'npm', platforms: 'all', command: 'npm install -g acme' },
      { type: 'winget', platforms: ['win32'], command: 'winget install acme' },
    ];
    mux.register(plainAdapter('acme', { installMethods }));
    expect(mux.installInstructions('acme', 'linux').map(({ type }) => type)).toEqual(['npm']);
    expect(mux.installInstructions('acme', 'win32').map(({ type }) => type)).toEqual(['npm', 'winget']);
    await expect(mux.lookup('acme')).rejects.toMatchObject({
      code: 'AGENT_NOT_INSTALLED',
      agent: 'acme',
      hint: expect.stringContaining('npm install -g acme'),
    });
  });

  it('returns capabilities of a mode and lists the modes for an unknown one', () => {
    const mux = registry();
    const capabilities = { ...NO_CAPABILITIES };
    const other = { ...NO_CAPABILITIES, canResume: true };
    const modes: AgentAdapter['modes'] = [
      { name: 'one', driver: 'oneshot', summary: 's', capabilities },
      { name: 'two', driver: 'oneshot', summary: 's', capabilities: other },
    ];
    mux.register(plainAdapter('acme', { capabilities, modes }));
    expect(mux.capabilities('acme')).toBe(capabilities);
    expect(mux.capabilities('acme', 'two')).toBe(other);
    expect(() => mux.capabilities('acme', 'three')).toThrow(/one, two/);
  });
});

describe.skipIf(process.platform === 'win32')('detection', () => {
  it('reports installed agents, their versions and whether they are recent enough', async () => {
    await install('acme', '2.0.0-rc.1');
    const mux = registry();
    mux.register(plainAdapter('acme', { minVersion: '2.0.0', readConfig: async () => ({ model: 'big' }) }));
    expect(await mux.detect('acme')).toEqual({
      agent: 'acme',
      installed: true,
      cliPath: join(bin, 'acme'),
      version: '2.0.0-rc.1',
      meetsMinVersion: false,
      minVersion: '2.0.0',
      authState: 'authenticated',
      activeModel: 'big',
    });
    expect(await mux.detect('absent')).toBeNull();
  });

  it('returns every failure as part of the result', async () => {
    await install('throws');
    const mux = registry();
    mux.register(plainAdapter('missing', { minVersion: '1.0.0', defaultModelId: 'm' }));
    mux.register(
      plainAdapter('throws', {
        detectAuth: () => Promise.reject(new Error('no')),
        readConfig: () => {
          throw new Error('broken');
        },
      }),
    );
    mux.register(plainAdapter('worse', { detectInstallation: () => Promise.reject(new Error('no')) }));
    mux.register(plainAdapter('remote', { needsNoInstall: true }));
    expect(await mux.installed()).toMatchObject([
      { agent: 'missing', installed: false, cliPath: null, version: null, meetsMinVersion: false, activeModel: 'm' },
      { agent: 'remote', installed: true, cliPath: null, version: null, meetsMinVersion: true },
      { agent: 'throws', installed: true, version: '1.2.3', authState: 'unknown', activeModel: null },
      { agent: 'worse', installed: false, version: null },
    ]);
  });

  it('starts the command once for concurrent queries and caches it for 30 seconds', async () => {
    const starts = await install('acme');
    let now = 0;
    let authChecks = 0;
    const mux = registry(() => now);
    const detectAuth = async (): Promise<AuthState> => {
      authChecks += 1;
      return { status: 'authenticated' };
    };
    mux.register(plainAdapter('acme', { detectAuth }));
    const answers = await Promise.all([mux.detect('acme'), mux.detect('acme'), mux.installed(), mux.version('acme')]);
    expect(new Set([answers[0], answers[1], answers[2][0]]).size).toBe(1);
    expect(await starts()).toBe(1);
    now = 29_999;
    await mux.detect('acme');
    expect(authChecks).toBe(1);
    now = 30_000;
    await mux.detect('acme');
    expect(authChecks).toBe(2);
    expect(await starts()).toBe(1);
  });

  it('queries the version again if the file changed or the cache was cleared', async () => {
    await install('acme', '1.0.0');
    let now = 0;
    const mux = registry(() => now);
    mux.register(plainAdapter('acme'));
    expect(await mux.version('acme')).toBe('1.0.0');
    const starts = await install('acme', '10.0.0');
    expect(await mux.version('acme')).toBe('10.0.0');
    expect((await mux.detect('acme'))?.version).toBe('10.0.0');
    expect(await starts()).toBe(1);
    mux.forgetDetection('acme');
    await mux.detect('acme');
    expect(await starts()).toBe(2);
    now = 11 * 60_000;
    await mux.version('acme');
    expect(await starts()).toBe(3);
  });

  it('caches the version across processes until the file changes or a day passes', async () => {
    let starts = await install('acme', '1.0.0');
    const day = 24 * 60 * 60_000;
    const versionAt = (now: number) => {
      const mux = registry(() => now, { XDG_CACHE_HOME: join(bin, 'cache') });
      mux.register(plainAdapter('acme'));
      return mux.version('acme');
    };
    const now = Date.now();
    expect([await versionAt(now), await versionAt(now)]).toEqual(['1.0.0', '1.0.0']);
    expect(await starts()).toBe(1);
    await versionAt(now + day + 60_000);
    await versionAt(now - day - 60_000);
    expect(await starts()).toBe(3);
    starts = await install('acme', '10.0.0');
    expect(await versionAt(now)).toBe('10.0.0');
    expect(await starts()).toBe(1);
  });

  it('queries the CLI if the cached value is invalid or the cache is not writable', async () => {
    const starts = await install('acme', '1.0.0');
    await writeFile(join(bin, 'cache'), 'a file where a folder should be');
    for (const XDG_CACHE_HOME of [join(bin, 'cache'), join(bin, 'other')]) {
      const mux = registry(undefined, { XDG_CACHE_HOME });
      mux.register(plainAdapter('acme'));
      expect(await mux.version('acme')).toBe('1.0.0');
    }
    const folder = join(bin, 'other', 'agent-mux', 'versions');
    for (const name of await readdir(folder)) await writeFile(join(folder, name), 'rubbish');
    const mux = registry(undefined, { XDG_CACHE_HOME: join(bin, 'other') });
    mux.register(plainAdapter('acme'));
    expect(await mux.version('acme')).toBe('1.0.0');
    expect(await starts()).toBe(3);
  });

  it('ends a slow version query when its last waiter leaves', async () => {
    const pidFile = join(bin, 'pid');
    await writeFile(
      join(bin, 'acme'),
      `#!/bin/sh\necho $$ > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 60\n`,
    );
    await chmod(join(bin, 'acme'), 0o755);
    const mux = registry();
    mux.register(plainAdapter('acme'));
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [mux.version('acme', first.signal), mux.version('acme', second.signal)];
    const pid = Number(await vi.waitUntil(() => readFile(pidFile, 'utf8').catch(() => ''), { timeout: 4000 }));
    first.abort();
    expect(await answers[0]).toBeNull();
    expect(() => process.kill(pid, 0)).not.toThrow();
    second.abort();
    expect(await answers[1]).toBeNull();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('finds the binary without starting it, also right after installation', async () => {
    const mux = registry();
    mux.register(plainAdapter('acme'));
    await expect(mux.lookup('acme')).rejects.toMatchObject({ code: 'AGENT_NOT_INSTALLED' });
    const starts = await install('acme');
    expect(await mux.lookup('acme')).toBe(join(bin, 'acme'));
    expect(await starts()).toBe(0);
  });

  it('hides the host agent and foreign keys from the command', async () => {
    await writeFile(
      join(bin, 'acme'),
      '#!/bin/sh\n[ -z "$MARK$GITHUB_TOKEN" ] && [ "$ACME_HOME" = here ] && echo 1.0.0\n',
    );
    await chmod(join(bin, 'acme'), 0o755);
    const mux = new Registry({ env: { PATH: bin, ACME_HOME: 'here', ACME_MARK: '', MARK: '1', GITHUB_TOKEN: 'g' } });
    mux.register(plainAdapter('acme', { envAllowList: ['ACME_*', 'MARK'] }));
    mux.register(plainAdapter('host', { hostEnvSignals: ['MARK'] }));
    expect(await mux.version('acme')).toBe('1.0.0');
  });
});
