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

function installer(place: Scratch, over: Partial<AgentAdapter>, env: NodeJS.ProcessEnv = place.env): Installer {
  const registry = new Registry({ env });
  registry.register(plainAdapter('acme', over));
  return new Installer({ adapters: registry, env });
}

const method = (type: InstallMethod['type'], command: string, more: Partial<InstallMethod> = {}) => ({
  installMethods: [{ type, platforms: 'all' as const, command, ...more }],
});

/** A package with one command that tells its version, packed as the registry would have it. */
function pack(place: Scratch, version: string): string {
  place.write(`pkg-${version}/package.json`, JSON.stringify({ name: 'acme-cli', version, bin: { acme: 'acme.sh' } }));
  place.write(`pkg-${version}/acme.sh`, `#!/bin/sh\necho "acme ${version}"\n`);
  const options = { cwd: place.home, env: { ...place.env, npm_config_cache: join(place.home, 'cache') } };
  execFileSync('npm', ['pack', `./pkg-${version}`, '--silent'], options);
  return join(place.home, `acme-cli-${version}.tgz`);
}

describe('with the real npm', () => {
  const place = scratch();
  const prefix = join(place.home, 'prefix');
  const quiet = { npm_config_cache: join(place.home, 'cache'), npm_config_offline: 'true', npm_config_audit: 'false' };
  const env = {
    ...place.env,
    ...quiet,
    npm_config_prefix: prefix,
    PATH: [join(prefix, 'bin'), place.env.PATH].join(delimiter),
  };
  let old = '';
  let recent = '';
  beforeAll(() => {
    old = pack(place, '1.0.0');
    recent = pack(place, '2.0.0');
  }, 120_000);

  it('is installed, found, updated and removed', SLOW, async () => {
    const first = installer(place, method('npm', `npm install -g ${old}`), env);
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

    const next = installer(place, method('npm', `npm install -g ${recent}`), env);
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

  it('says how to reach what was installed beside the PATH', SLOW, async () => {
    const elsewhere = join(place.home, 'elsewhere');
    const blind = installer(place, method('npm', `npm install -g ${old}`), { ...env, npm_config_prefix: elsewhere });
    expect(await blind.install('acme')).toMatchObject({
      ok: false,
      changed: true,
      installedVersion: '1.0.0',
      path: join(elsewhere, 'bin/acme'),
      remedy: `add its folder to PATH: export PATH="${join(elsewhere, 'bin')}:$PATH"`,
    });
  });

  it('tells what failed and what helps', SLOW, async () => {
    const gone = installer(place, method('npm', 'npm install -g acme-cli-that-nobody-published'), env);
    const failed = await gone.install('acme');
    expect(failed).toMatchObject({ ok: false, changed: false, message: expect.stringContaining('ended with code 1') });
    expect(failed.stderr).toContain('npm error');
  });
});

describe('with installers that stand in for the real ones', () => {
  it('pipes a script into a shell, with its lines as they come and without the keys of anybody', async () => {
    const place = scratch();
    const seen = join(place.home, 'seen');
    place.command(
      'curl',
      `echo 'echo step one; env > ${seen}; printf "#!/bin/sh\\necho 3.1.4\\n" > ${place.bin}/acme; chmod +x ${place.bin}/acme'`,
    );
    const env = { ...place.env, ACME_API_KEY: 'k-12345678', ACME_INSTALL_DIR: '/x', OTHER_TOKEN: 't-12345678' };
    const over = { ...method('curl', 'curl -fsSL https://acme.example | bash'), envAllowList: ['ACME_*'] };
    const onProgress = vi.fn();
    expect(await installer(place, over, env).install('acme', { onProgress })).toMatchObject({
      ok: true,
      method: 'curl',
      installedVersion: '3.1.4',
    });
    expect(onProgress).toHaveBeenCalledWith('step one');
    const given = readFileSync(seen, 'utf8');
    expect(given).toContain('ACME_INSTALL_DIR=/x');
    expect(given).not.toMatch(/ACME_API_KEY|OTHER_TOKEN/);
  });

  it('believes no installer that ends well and leaves nothing', async () => {
    const place = scratch();
    place.command('brew', 'exit 0');
    expect(await installer(place, method('brew', 'brew install acme')).install('acme')).toMatchObject({
      ok: false,
      message: 'the installer ended well, and "acme" was not found afterwards',
    });
  });

  it('notices a script that could not be fetched', async () => {
    const place = scratch();
    place.command('curl', 'echo "curl: (6) Could not resolve host: acme.example" >&2; exit 6');
    expect(await installer(place, method('curl', 'curl -f x | bash')).install('acme')).toMatchObject({
      ok: false,
      message: expect.stringContaining('ended with code 6'),
      remedy: expect.stringContaining('network'),
    });
  });

  it('updates by the command that the method names, and removes only what it knows how to', async () => {
    const place = scratch();
    place.command('acme', 'test "$1" = upgrade && touch "$HOME/new"; test -e "$HOME/new" && echo 2.0.0 || echo 1.0.0');
    const curl = installer(place, method('curl', 'curl x | bash', { update: 'acme upgrade' }));
    expect(await curl.update('acme')).toMatchObject({ ok: true, changed: true, command: 'acme upgrade' });
    await expect(curl.uninstall('acme')).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
      hint: expect.stringContaining('remove it'),
    });
  });

  it('is told where the program of the way is missing', async () => {
    const place = scratch();
    const env = { ...place.env, PATH: place.bin };
    await expect(installer(place, method('brew', 'brew install acme'), env).install('acme')).rejects.toMatchObject({
      code: 'SPAWN_ERROR',
      message: 'brew is not on the PATH',
    });
  });

  it('ends an installer that is no longer wanted', async () => {
    const place = scratch();
    place.command('brew', 'echo begun; sleep 60');
    const stop = new AbortController();
    const running = installer(place, method('brew', 'brew install acme')).install('acme', {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('without running anything', () => {
  const npm = method('npm', 'npm install -g @acme/cli', { notes: 'needs Node 22' });

  it('shows in a dry run what would be run', async () => {
    const spawner = vi.fn<Spawner>();
    expect(await installer(scratch(), npm).install('acme', { dryRun: true, version: '1.0.0', spawner })).toMatchObject({
      ok: true,
      dryRun: true,
      changed: false,
      command: 'npm install -g @acme/cli@1.0.0',
    });
    expect(spawner).not.toHaveBeenCalled();
  });

  it('lets somebody else run the commands', async () => {
    const place = scratch();
    const spawner = vi.fn<Spawner>(async () => {
      place.command('acme', 'echo 1.5.0');
      return { code: 0, stdout: 'done with sk-abcdefghijkl\n', stderr: '' };
    });
    const result = await installer(place, npm).install('acme', { spawner });
    expect(spawner).toHaveBeenCalledExactlyOnceWith('npm', ['install', '-g', '@acme/cli'], expect.anything());
    expect(result).toMatchObject({ ok: true, installedVersion: '1.5.0', stdout: 'done with [redacted]\n' });
  });

  it('says so when another copy than the wanted one is found first', async () => {
    const place = scratch();
    place.command('acme', 'echo 1.0.0');
    const spawner: Spawner = async () => ({ code: 0, stdout: '', stderr: '' });
    expect(await installer(place, npm).install('acme', { version: '2.0.0', force: true, spawner })).toMatchObject({
      ok: false,
      message: expect.stringContaining('another copy'),
    });
  });

  it('honours an adapter that installs, updates and detects by itself', async () => {
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

  it('leaves what is part of agent-mux as it is', async () => {
    const builtIn = installer(scratch(), { needsNoInstall: true });
    expect(await builtIn.install('acme')).toMatchObject({ ok: true, changed: false });
    expect(await builtIn.uninstall('acme')).toMatchObject({ ok: false });
  });
});
