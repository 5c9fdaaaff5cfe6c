import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { type Scratch, useScratch } from '../../test/scratch.ts';
import type { AgentAdapter, Spawner } from '../contract/adapter.ts';
import type { InstallMethod } from '../contract/capabilities.ts';
import { Registry } from '../registry/registry.ts';
import { Installer } from './installer.ts';

const scratch = useScratch();
const SLOW = { timeout: 120_000 };

function installer(home: Scratch, over: Partial<AgentAdapter>, env: NodeJS.ProcessEnv = home.env): Installer {
  const registry = new Registry({ env });
  registry.register(plainAdapter('acme', over));
  return new Installer({ adapters: registry, env });
}

const method = (type: InstallMethod['type'], command: string, more: Partial<InstallMethod> = {}) => ({
  installMethods: [{ type, platforms: 'all' as const, command, ...more }],
});

/** A package with one command that prints its version, packed like in the registry. */
function pack(home: Scratch, version: string): string {
  home.write(`pkg-${version}/package.json`, JSON.stringify({ name: 'acme-cli', version, bin: { acme: 'acme.sh' } }));
  home.write(`pkg-${version}/acme.sh`, `#!/bin/sh\necho "acme ${version}"\n`);
  const options = { cwd: home.home, env: { ...home.env, npm_config_cache: join(home.home, 'cache') } };
  execFileSync('npm', ['pack', `./pkg-${version}`, '--silent'], options);
  return join(home.home, `acme-cli-${version}.tgz`);
}

describe('with the real npm', () => {
  const home = scratch();
  const prefix = join(home.home, 'prefix');
  const quiet = { npm_config_cache: join(home.home, 'cache'), npm_config_offline: 'true', npm_config_audit: 'false' };
  const env = {
    ...home.env,
    ...quiet,
    npm_config_prefix: prefix,
    PATH: [join(prefix, 'bin'), home.env.PATH].join(delimiter),
  };
  let old = '';
  let recent = '';
  beforeAll(() => {
    old = pack(home, '1.0.0');
    recent = pack(home, '2.0.0');
  }, 120_000);

  it('installs, finds, updates and removes an agent', SLOW, async () => {
    const first = installer(home, method('npm', `npm install -g ${old}`), env);
    const lines: string[] = [];
    expect(await first.install('acme', { onProgress: (line) => lines.push(line) })).toMatchObject({
      ok: true,
      changed: true,
      previousVersion: null,
      installedVersion: '1.0.0',
      path: join(prefix, 'bin/acme'),
      message: 'ACME 1.0.0 is installed',
    });
    expect(lines.join('\n')).toContain('added 1 package');
    expect(await first.install('acme')).toMatchObject({
      ok: true,
      changed: false,
      message: 'ACME 1.0.0 is already installed',
    });
    expect(await first.install('acme', { version: '3.0.0' })).toMatchObject({ ok: false, changed: false });

    const next = installer(home, method('npm', `npm install -g ${recent}`), env);
    expect(await next.update('acme', { dryRun: true })).toMatchObject({
      ok: true,
      dryRun: true,
      changed: false,
      command: `npm install -g ${recent} --prefix ${prefix}`,
    });
    expect(await next.update('acme')).toMatchObject({
      ok: true,
      changed: true,
      previousVersion: '1.0.0',
      installedVersion: '2.0.0',
    });
    expect(await next.update('acme')).toMatchObject({ ok: true, changed: false });

    expect(await next.uninstall('acme')).toMatchObject({ ok: true, changed: true, path: null });
    expect(existsSync(join(prefix, 'bin/acme'))).toBe(false);
    expect(await next.uninstall('acme')).toMatchObject({ ok: true, changed: false });
    await expect(next.update('acme')).rejects.toMatchObject({ code: 'AGENT_NOT_INSTALLED' });
  });

  it('explains how to reach an agent installed outside PATH', SLOW, async () => {
    const outside = join(home.home, 'outside');
    const blind = installer(home, method('npm', `npm install -g ${old}`), { ...env, npm_config_prefix: outside });
    expect(await blind.install('acme')).toMatchObject({
      ok: false,
      changed: true,
      installedVersion: '1.0.0',
      path: join(outside, 'bin/acme'),
      hint: `add its folder to PATH: export PATH="${join(outside, 'bin')}:$PATH"`,
    });
  });

  it('reports what failed and a hint', SLOW, async () => {
    const gone = installer(home, method('npm', 'npm install -g acme-cli-that-does-not-exist'), env);
    const failed = await gone.install('acme');
    expect(failed).toMatchObject({ ok: false, changed: false, message: expect.stringContaining('ended with code 1') });
    expect(failed.stderr).toContain('npm error');
  });
});

describe('with fake installers', () => {
  it('pipes a script into a shell, streams its output and hides API keys', async () => {
    const home = scratch();
    const seen = join(home.home, 'seen');
    home.command(
      'curl',
      `echo 'echo step one; env > ${seen}; printf "#!/bin/sh\\necho 3.1.4\\n" > ${home.bin}/acme; chmod +x ${home.bin}/acme'`,
    );
    const env = { ...home.env, ACME_API_KEY: 'k-12345678', ACME_INSTALL_DIR: '/x', OTHER_TOKEN: 't-12345678' };
    const over = { ...method('curl', 'curl -fsSL https://acme.example | bash'), envAllowList: ['ACME_*'] };
    const onProgress = vi.fn();
    expect(await installer(home, over, env).install('acme', { onProgress })).toMatchObject({
      ok: true,
      method: 'curl',
      installedVersion: '3.1.4',
    });
    expect(onProgress).toHaveBeenCalledWith('step one');
    const seenEnv = readFileSync(seen, 'utf8');
    expect(seenEnv).toContain('ACME_INSTALL_DIR=/x');
    expect(seenEnv).not.toMatch(/ACME_API_KEY|OTHER_TOKEN/);
  });

  it('fails if a successful installer leaves nothing', async () => {
    const home = scratch();
    home.command('brew', 'exit 0');
    expect(await installer(home, method('brew', 'brew install acme')).install('acme')).toMatchObject({
      ok: false,
      message: 'the installer succeeded, but "acme" was not found afterwards',
    });
  });

  it('detects a script that could not be fetched', async () => {
    const home = scratch();
    home.command('curl', 'echo "curl: (6) Could not resolve host: acme.example" >&2; exit 6');
    expect(await installer(home, method('curl', 'curl -f x | bash')).install('acme')).toMatchObject({
      ok: false,
      message: expect.stringContaining('ended with code 6'),
      hint: expect.stringContaining('network'),
    });
  });

  it("updates with the method's command and removes only known installations", async () => {
    const home = scratch();
    home.command('acme', 'test "$1" = upgrade && touch "$HOME/new"; test -e "$HOME/new" && echo 2.0.0 || echo 1.0.0');
    const curl = installer(home, method('curl', 'curl x | bash', { update: 'acme upgrade' }));
    expect(await curl.update('acme')).toMatchObject({ ok: true, changed: true, command: 'acme upgrade' });
    await expect(curl.uninstall('acme')).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
      hint: expect.stringContaining('remove it'),
    });
  });

  it('reports a missing installer program', async () => {
    const home = scratch();
    const env = { ...home.env, PATH: home.bin };
    await expect(installer(home, method('brew', 'brew install acme'), env).install('acme')).rejects.toMatchObject({
      code: 'SPAWN_ERROR',
      message: 'brew is not on PATH',
    });
  });

  it('ends an aborted installer', async () => {
    const home = scratch();
    home.command('brew', 'echo started; sleep 60');
    const stop = new AbortController();
    const running = installer(home, method('brew', 'brew install acme')).install('acme', {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('without running anything', () => {
  const npm = method('npm', 'npm install -g @acme/cli', { notes: 'needs Node 22' });

  it('lists the commands in a dry run', async () => {
    const spawner = vi.fn<Spawner>();
    expect(await installer(scratch(), npm).install('acme', { dryRun: true, version: '1.0.0', spawner })).toMatchObject({
      ok: true,
      dryRun: true,
      changed: false,
      command: 'npm install -g @acme/cli@1.0.0',
    });
    expect(spawner).not.toHaveBeenCalled();
  });

  it('runs the commands with a custom spawner', async () => {
    const home = scratch();
    const spawner = vi.fn<Spawner>(async () => {
      home.command('acme', 'echo 1.5.0');
      return { code: 0, stdout: 'done with sk-abcdefghijkl\n', stderr: '' };
    });
    const result = await installer(home, npm).install('acme', { spawner });
    expect(spawner).toHaveBeenCalledExactlyOnceWith('npm', ['install', '-g', '@acme/cli'], expect.anything());
    expect(result).toMatchObject({ ok: true, installedVersion: '1.5.0', stdout: 'done with [redacted]\n' });
  });

  it('reports another copy that comes first on PATH', async () => {
    const home = scratch();
    home.command('acme', 'echo 1.0.0');
    const spawner: Spawner = async () => ({ code: 0, stdout: '', stderr: '' });
    expect(await installer(home, npm).install('acme', { version: '2.0.0', force: true, spawner })).toMatchObject({
      ok: false,
      message: expect.stringContaining('another copy'),
    });
  });

  it('uses an adapter that installs, updates and detects itself', async () => {
    let here: string | null = null;
    const own = {
      detectInstallation: async () => ({ installed: here !== null, version: here ?? undefined, path: '/own/acme' }),
      install: vi.fn(async () => {
        here = '1.0.0';
        return { ok: true, method: 'own', command: 'own install' };
      }),
      update: vi.fn(async () => {
        here = '1.1.0';
        return { ok: true, method: 'own', command: 'own update' };
      }),
    };
    const acme = installer(scratch(), own);
    expect(await acme.install('acme')).toMatchObject({ ok: true, method: 'own', installedVersion: '1.0.0' });
    expect(await acme.update('acme')).toMatchObject({ changed: true, previousVersion: '1.0.0' });
    expect(own.install).toHaveBeenCalledWith({ version: undefined, force: false, dryRun: false });
  });

  it('leaves built-in agents unchanged', async () => {
    const builtIn = installer(scratch(), { needsNoInstall: true });
    expect(await builtIn.install('acme')).toMatchObject({ ok: true, changed: false });
    expect(await builtIn.uninstall('acme')).toMatchObject({ ok: false });
  });
});
