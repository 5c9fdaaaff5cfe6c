import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { useScratch } from '../../test/scratch.ts';
import type { InstallMethod } from '../contract/capabilities.ts';
import type { InstallPlanOptions } from '../contract/management.ts';
import { type InstallOrigin, originOf } from './origin.ts';
import { planChange, planInstall } from './plan.ts';

const scratch = useScratch();

const NPM: InstallMethod = { type: 'npm', platforms: 'all', command: 'npm install -g --ignore-scripts @acme/cli' };
const CURL: InstallMethod = {
  type: 'curl',
  platforms: ['darwin', 'linux'],
  command: 'curl -fsSL https://acme.example/install.sh | bash',
  update: 'acme upgrade',
};
const BREW: InstallMethod = { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install --cask acme' };
const PIP: InstallMethod = { type: 'pip', platforms: 'all', command: 'python -m pip install acme' };
const WINGET: InstallMethod = { type: 'winget', platforms: ['win32'], command: 'winget install --id Acme.Cli' };
const MANUAL: InstallMethod = {
  type: 'manual',
  platforms: 'all',
  command: "irm 'https://acme.example' | iex",
  notes: 'in PowerShell',
};

const acme = (...installMethods: InstallMethod[]) => plainAdapter('acme', { installMethods });

async function install(methods: InstallMethod[], options: InstallPlanOptions = {}, env = scratch().env) {
  const { method, commands } = await planInstall(acme(...methods), env, options);
  return { method, line: commands.map(({ line }) => line).join('; '), first: commands[0] };
}

function change(
  action: 'update' | 'uninstall',
  methods: InstallMethod[],
  origin: InstallOrigin | null,
  options: InstallPlanOptions = {},
) {
  return planChange(acme(...methods), action, origin, { platform: 'linux', ...options })
    .commands.map(({ line }) => line)
    .join('; ');
}

describe('install plan', () => {
  it('uses the first method whose program is available', async () => {
    const { env, command } = scratch();
    command('npm', 'exit 0');
    expect(await install([BREW, NPM], {}, { ...env, PATH: env.PATH?.split(':')[0] })).toMatchObject({ method: 'npm' });
    command('brew', 'exit 0');
    expect(await install([BREW, NPM], {}, env)).toMatchObject({ method: 'brew', line: 'brew install --cask acme' });
    expect(await install([BREW, NPM], { method: 'npm' }, env)).toMatchObject({ method: 'npm' });
  });

  it('supports another platform', async () => {
    expect(await install([CURL, WINGET], { platform: 'win32' })).toMatchObject({ method: 'winget' });
  });

  it('runs a plain command directly and a pipe through a shell with pipefail', async () => {
    expect((await install([NPM])).first).toMatchObject({
      command: 'npm',
      args: ['install', '-g', '--ignore-scripts', '@acme/cli'],
    });
    expect((await install([CURL])).first).toMatchObject({
      command: 'bash',
      args: ['-o', 'pipefail', '-c', CURL.command],
    });
  });

  it('applies a version if supported, and reports if not', async () => {
    expect(await install([CURL, NPM], { version: '1.2.3' })).toMatchObject({
      line: 'npm install -g --ignore-scripts @acme/cli@1.2.3',
    });
    expect((await install([PIP], { version: '1.2.3' })).line).toBe('python -m pip install acme==1.2.3');
    expect((await install([WINGET], { version: '1.2.3', platform: 'win32' })).line).toBe(
      'winget install --id Acme.Cli --version 1.2.3',
    );
    await expect(install([CURL, BREW], { version: '1.2.3' })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
      option: 'version',
    });
    await expect(install([NPM, BREW], { version: '1.2.3', method: 'brew' })).rejects.toMatchObject({
      option: 'version',
    });
  });

  it.each(['1; rm -rf x', '$(x)', '', '-g', '1 2', '../x'])('rejects %j as a version', async (version) => {
    await expect(install([NPM], { version })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('lists manual steps and never requests elevated privileges', async () => {
    const refused = {
      code: 'CAPABILITY_ERROR',
      hint: "run manually: irm 'https://acme.example' | iex (in PowerShell)",
    };
    await expect(install([MANUAL])).rejects.toMatchObject(refused);
    const root: InstallMethod = { type: 'curl', platforms: 'all', command: 'curl x | sudo bash' };
    await expect(install([root])).rejects.toMatchObject({ code: 'CAPABILITY_ERROR' });
    await expect(install([])).rejects.toMatchObject({ hint: 'put "acme" on PATH manually' });
    await expect(install([NPM], { method: 'brew' })).rejects.toMatchObject({ option: 'method' });
  });
});

describe('update or uninstall plan', () => {
  const at = (type: InstallOrigin['type'], more: Partial<InstallOrigin> = {}): InstallOrigin => ({
    type,
    path: '/x/acme',
    ...more,
  });

  it('uses the original install method', () => {
    const all = [CURL, NPM, BREW, PIP];
    const npm = at('npm', { prefix: '/opt/n', package: '@acme/cli' });
    expect(change('update', all, npm)).toBe('npm install -g --ignore-scripts @acme/cli@latest --prefix /opt/n');
    expect(change('uninstall', all, npm)).toBe('npm uninstall -g @acme/cli --prefix /opt/n');
    expect(change('update', all, at('brew'))).toBe('brew upgrade --cask acme');
    expect(change('uninstall', all, at('brew'))).toBe('brew uninstall --cask acme');
    expect(change('update', all, at('pip'))).toBe('python -m pip install --upgrade acme');
    expect(change('uninstall', all, at('pip'))).toBe('python -m pip uninstall -y acme');
    expect(change('update', all, null)).toBe('acme upgrade');
    expect(change('update', all, npm, { method: 'brew' })).toBe('brew upgrade --cask acme');
    expect(change('uninstall', [WINGET], null, { platform: 'win32', method: 'winget' })).toBe(
      'winget uninstall --id Acme.Cli',
    );
  });

  it('uses a shell for shell syntax', () => {
    const home: InstallMethod = { ...CURL, uninstall: 'rm ~/.local/bin/acme' };
    expect(planChange(acme(home), 'uninstall', null, { platform: 'linux' }).commands).toEqual([
      { command: 'sh', args: ['-c', 'rm ~/.local/bin/acme'], line: 'rm ~/.local/bin/acme' },
    ]);
  });

  it('lists manual steps if no command is known', () => {
    const hint = expect.stringContaining('remove it (/x/acme) the way it was installed');
    expect(() => change('uninstall', [CURL], at('other', { by: 'bun' }))).toThrow(
      expect.objectContaining({ code: 'CAPABILITY_ERROR', message: expect.stringContaining('by bun'), hint }),
    );
    expect(() => change('uninstall', [CURL], null)).toThrow(expect.objectContaining({ option: 'uninstall' }));
    const compound: InstallMethod = { ...PIP, command: 'python -m pip install acme-install && acme-install' };
    expect(() => change('update', [compound], at('pip'))).toThrow(expect.objectContaining({ option: 'update' }));
  });
});

describe('origin of a binary', () => {
  it.each([
    ['/usr/local/lib/node_modules/@acme/cli/cli.js', { type: 'npm', prefix: '/usr/local', package: '@acme/cli' }],
    ['/h/.nvm/versions/node/v24/lib/node_modules/acme/x.js', { type: 'npm', package: 'acme' }],
    ['/opt/homebrew/Cellar/acme/1.0/libexec/lib/node_modules/acme/x.js', { type: 'brew' }],
    ['/opt/homebrew/lib/node_modules/acme/x.js', { type: 'npm', prefix: '/opt/homebrew' }],
    ['/h/.bun/install/global/node_modules/acme/x.js', { type: 'other', by: 'bun' }],
    ['/h/project/node_modules/acme/x.js', { type: 'other' }],
    ['/h/.local/share/uv/tools/acme/bin/acme', { type: 'other', by: 'uv' }],
    ['C:\\Python\\Lib\\site-packages\\acme\\x.exe', { type: 'pip' }],
  ])('is detected from its path: %s', async (path, origin) => {
    expect(await originOf(path, [])).toMatchObject(origin);
  });

  it('is detected from its first line or the folder next to it', async () => {
    const home = scratch();
    expect(await originOf(home.write('b/acme', '#!/usr/bin/python3\n'), [])).toMatchObject({ type: 'pip' });
    expect(await originOf(home.write('b/other', '\u007fELF'), [])).toBeNull();
    home.write('n/node_modules/@acme/cli/package.json', '{}');
    const shim = home.write('n/acme.cmd', '@node');
    expect(await originOf(shim, [NPM])).toMatchObject({ type: 'npm', package: '@acme/cli' });
  });
});
