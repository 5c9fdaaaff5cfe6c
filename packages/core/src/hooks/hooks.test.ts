import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookSpec, SHAPES, type ShapeName } from '../../test/hook-specs.ts';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { type Scratch, useScratch } from '../../test/scratch.ts';
import { createClient } from '../client/client.ts';
import { stateFolder } from '../files/state-folder.ts';

const scratch = useScratch();

/** A repository with one commit, and a client whose only agent has hooks of this shape. */
function workspaceWith(shape: ShapeName, home: Scratch = scratch(), folder = 'project') {
  const cwd = join(realpathSync(home.home), folder);
  const git = (...args: string[]) => execFileSync('git', ['-C', cwd, ...args], { env: home.env, encoding: 'utf8' });
  if (!existsSync(cwd)) {
    mkdirSync(cwd);
    git('init', '-q');
    git('-c', 'user.name=x', '-c', 'user.email=x@localhost', 'commit', '-q', '--allow-empty', '-m', 'first');
  }
  const client = createClient({ adapters: [plainAdapter('one', { hooks: hookSpec(shape) })], env: home.env });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  const registered = () =>
    JSON.parse(readFileSync(join(stateFolder(home.env), 'hooks/workspaces.json'), 'utf8')).workspaces;
  return { home, cwd, git, write, registered, hooks: client.hooks, at: { cwd } };
}

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.git/') && path !== '.git')
    .toSorted();

describe.each(SHAPES)('hooks of shape %s in a workspace', (shape) => {
  it('are hidden from git, detected, and removed without traces', async () => {
    const { cwd, git, hooks, at, registered } = workspaceWith(shape);
    const exclude = readFileSync(join(cwd, '.git/info/exclude'), 'utf8');
    expect(await hooks.install('one', at)).toMatchObject({ installed: true, changed: true, workspace: cwd });
    expect(git('status', '--porcelain')).toBe('');
    expect(registered()).toEqual({ [cwd]: ['one'] });
    const { states } = await hooks.status('one', at);
    for (const state of states) expect(state).toMatchObject({ state: 'installed', git: 'ignored' });
    expect(await hooks.install('one', at)).toMatchObject({ installed: true, changed: false });
    expect(await hooks.uninstall('one', at)).toMatchObject({ installed: false, changed: true });
    expect(files(cwd)).toEqual([]);
    expect(readFileSync(join(cwd, '.git/info/exclude'), 'utf8')).toBe(exclude);
    expect(registered()).toEqual({});
    expect(await hooks.uninstall('one', at)).toMatchObject({ changed: false });
  });
});

describe('existing file', () => {
  const ODD = '{ /* mine */ "hooks": {\t"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]\n}, "a":1}';

  it('is restored byte by byte, whatever its layout, and not ignored in git', async () => {
    const { cwd, write, hooks, at } = workspaceWith('json-groups');
    write('.one/settings.json', ODD);
    const { states } = await hooks.install('one', at);
    expect(states).toMatchObject([{ git: 'yours' }]);
    const once = readFileSync(join(cwd, '.one/settings.json'), 'utf8');
    expect(once).toContain('say done');
    expect(once).toContain('/* mine */');
    await hooks.install('one', at);
    expect(readFileSync(join(cwd, '.one/settings.json'), 'utf8')).toBe(once);
    await hooks.uninstall('one', at);
    expect(readFileSync(join(cwd, '.one/settings.json'), 'utf8')).toBe(ODD);
  });

  it('is reported as tracked if git tracks it', async () => {
    const { write, git, hooks, at } = workspaceWith('json-groups');
    write('.one/settings.json', '{}\n');
    git('add', '.');
    expect((await hooks.install('one', at)).states).toMatchObject([{ git: 'tracked', state: 'installed' }]);
    expect(git('diff', '--name-only')).toBe('.one/settings.json\n');
  });

  it('keeps later changes by the user', async () => {
    const { cwd, write, hooks, at } = workspaceWith('json-groups');
    write('.one/settings.json', '{\n  "hooks": {},\n  "a": 1\n}\n');
    await hooks.install('one', at);
    write('.one/settings.json', readFileSync(join(cwd, '.one/settings.json'), 'utf8').replace('"a": 1', '"a": 2'));
    await hooks.uninstall('one', at);
    expect(JSON.parse(readFileSync(join(cwd, '.one/settings.json'), 'utf8'))).toEqual({ hooks: {}, a: 2 });
  });

  it('keeps user edits in a generated file on uninstall', async () => {
    const { cwd, write, hooks, at } = workspaceWith('json-flat');
    await hooks.install('one', at);
    const made = JSON.parse(readFileSync(join(cwd, '.two/deep/hooks.json'), 'utf8'));
    made.hooks.Stop.push({ bash: 'say done' });
    write('.two/deep/hooks.json', JSON.stringify(made));
    await hooks.uninstall('one', at);
    expect(JSON.parse(readFileSync(join(cwd, '.two/deep/hooks.json'), 'utf8'))).toEqual({
      version: 1,
      hooks: { Stop: [{ bash: 'say done' }] },
    });
  });

  it.each([
    ['json-groups', '.one/settings.json', '{\n  "a": \n}\n', ':3:1'],
    ['toml-groups', '.four/config.toml', 'a = 1\n[b\n', ':2:'],
    ['yaml-list', '.five.yaml', 'a: 1\nb: [\n', ':'],
  ] as const)('is never written if broken: %s', async (shape, path, text, position) => {
    const { cwd, write, hooks, at } = workspaceWith(shape);
    write(path, text);
    const where = expect.stringContaining(`${join(cwd, path)}${position}`);
    await expect(hooks.install('one', at)).rejects.toMatchObject({ code: 'CONFIG_ERROR', message: where });
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(text);
    expect((await hooks.status('one', at)).states).toMatchObject([{ state: 'broken', problem: where }]);
  });

  it.each([
    ['scripts', '.seven/hooks/Stop'],
    ['plugin', '.eight/plugins/agent-mux.ts'],
  ] as const)('is not replaced if not created by agent-mux: %s', async (shape, path) => {
    const { cwd, write, hooks, at } = workspaceWith(shape);
    write(path, '#!/bin/sh\namux hooks one Stop\n');
    await expect(hooks.install('one', at)).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
    expect(files(cwd)).toEqual(files(cwd).filter((each) => path.startsWith(each)));
    expect((await hooks.status('one', at)).states).toContainEqual(expect.objectContaining({ state: 'foreign' }));
    await hooks.uninstall('one', at);
    expect(readFileSync(join(cwd, path), 'utf8')).toBe('#!/bin/sh\namux hooks one Stop\n');
  });
});

describe('untrusted workspace', () => {
  it('cannot cause writes outside of itself', async () => {
    const { home, cwd, hooks, at } = workspaceWith('json-groups');
    home.write('outside/settings.json', '{}');
    symlinkSync(join(home.home, 'outside'), join(cwd, '.one'));
    await expect(hooks.install('one', at)).rejects.toThrow(/leads out of the project/);
    expect(readFileSync(join(home.home, 'outside/settings.json'), 'utf8')).toBe('{}');
  });

  it('cannot redirect its git exclude file', async () => {
    const { home, cwd, hooks, at } = workspaceWith('json-groups');
    home.write('.profile', '# mine\n');
    execFileSync('ln', ['-sf', join(home.home, '.profile'), join(cwd, '.git/info/exclude')]);
    await expect(hooks.install('one', at)).rejects.toThrow(/leads out of the project/);
    expect(readFileSync(join(home.home, '.profile'), 'utf8')).toBe('# mine\n');
    expect(existsSync(join(cwd, '.one'))).toBe(false);
  });
});

describe('workspace location', () => {
  it('shares the exclude file between work trees without losing lines', async () => {
    const { home, cwd, git } = workspaceWith('plugin');
    git('worktree', 'add', '-q', '../second');
    const first = workspaceWith('plugin', home);
    const second = workspaceWith('plugin', home, 'second');
    await first.hooks.install('one', first.at);
    await second.hooks.install('one', second.at);
    expect(first.registered()).toEqual({ [cwd]: ['one'], [second.cwd]: ['one'] });
    await first.hooks.uninstall('one', first.at);
    expect(second.git('status', '--porcelain')).toBe('');
    expect((await second.hooks.status('one', second.at)).states).toMatchObject([{ git: 'ignored' }]);
    await second.hooks.uninstall('one', second.at);
    expect(readFileSync(join(cwd, '.git/info/exclude'), 'utf8')).not.toContain('agent-mux');
  });

  it('supports a folder of a repository with pattern characters in its name', async () => {
    const { cwd, git, hooks } = workspaceWith('scripts');
    const inner = join(cwd, 'a [b] *');
    mkdirSync(inner);
    await hooks.install('one', { cwd: inner });
    expect(git('status', '--porcelain')).toBe('');
    await hooks.uninstall('one', { cwd: inner });
    expect(files(cwd)).toEqual(['a [b] *']);
  });

  it('supports a folder without git', async () => {
    const { home, hooks } = workspaceWith('scripts');
    const cwd = join(realpathSync(home.home), 'plain');
    mkdirSync(cwd);
    const { states } = await hooks.install('one', { cwd });
    expect(states.map(({ git }) => git)).toEqual([null, null, null]);
    expect(statSync(join(cwd, '.seven/hooks/Stop')).mode & 0o100).toBe(0o100);
    await hooks.uninstall('one', { cwd });
    expect(files(cwd)).toEqual([]);
  });

  it('handles concurrent installations without losing any', async () => {
    const { home, registered } = workspaceWith('json-groups');
    const all = ['a', 'b', 'c', 'd'].map((name) => workspaceWith('json-groups', home, name));
    await Promise.all(all.map(({ hooks, at }) => hooks.install('one', at)));
    expect(Object.keys(registered()).toSorted()).toEqual(all.map(({ cwd }) => cwd));
  });
});

it('rejects an agent without hooks and lists the others', async () => {
  const client = createClient({
    adapters: [plainAdapter('bare'), plainAdapter('one', { hooks: hookSpec('plugin') })],
    env: scratch().env,
  });
  await expect(client.hooks.install('bare')).rejects.toMatchObject({
    code: 'CAPABILITY_ERROR',
    hint: expect.stringContaining('one'),
  });
  expect(client.hooks.supported()).toEqual([
    { agent: 'one', events: ['Start', 'Tool', 'Stop'], files: ['.eight/plugins/agent-mux.ts'], forRun: false },
  ]);
});
