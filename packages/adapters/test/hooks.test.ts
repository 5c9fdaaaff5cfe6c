import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtInAdapters } from '@agent-mux/adapters';
import { createClient, HOOK_FILE_MARKER, type HookFile, hookGroup } from '@agent-mux/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

const hooked = builtInAdapters().flatMap(({ agent, hooks }) => (hooks ? [{ agent, hooks }] : []));
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh repository with one empty commit, in its own home. */
function openWorkspace() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'agent-mux-hooks-')));
  folders.push(home);
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const env = { HOME: home, PATH: process.env.PATH };
  const git = (...args: string[]) => execFileSync('git', args, { cwd, env, encoding: 'utf8' });
  git('init', '-q');
  git('-c', 'user.name=x', '-c', 'user.email=x@localhost', 'commit', '-q', '--allow-empty', '-m', 'first');
  const client = createClient({ adapters: builtInAdapters(), env });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  return { cwd, git, write, hooks: client.hooks, at: { cwd } };
}

/** Every file of a folder with its content; folders end with a slash. */
function contentOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    paths.map((path) => {
      const isFolder = statSync(join(folder, path)).isDirectory();
      return [isFolder ? `${path}/` : path, isFolder ? '' : readFileSync(join(folder, path), 'utf8')];
    }),
  );
}

/** The project without git's own files, but with ignored ones. */
function projectOf(cwd: string): Record<string, string> {
  const all = contentOf(cwd);
  return Object.fromEntries(
    Object.entries(all).filter(([path]) => !path.startsWith('.git/') || path === '.git/info/exclude'),
  );
}

const theirs = 'say done # of the user';

/** A user's own file with a hook, if the agent's hooks share one; undefined: the whole file is ours. */
function userFileOf(file: HookFile, event: string): { path: string; text: string } | undefined {
  switch (file.shape) {
    case 'json-groups':
    case 'json-flat': {
      const entry =
        file.shape === 'json-flat' ? file.entry(theirs, { name: event }) : hookGroup(theirs, { name: event });
      const table = file.under.reduceRight<unknown>((inner, key) => ({ [key]: inner }), { [event]: [entry] });
      return { path: file.path, text: `${JSON.stringify({ ...Object(table), own: [1, 2] }, null, 3)}` };
    }
    case 'toml-groups':
      return {
        path: file.path,
        text: `# mine\nown = 1\n\n[[${[...file.under, event].join('.')}]]\nhooks = [{ type = "command", command = "${theirs}" }]\n`,
      };
    case 'yaml-list':
      return {
        path: file.path,
        text: `# mine\nown: 1\n${[...file.under, event].map((key, at) => `${'  '.repeat(at)}${key}:\n`).join('')}${'  '.repeat(file.under.length + 1)}- ${JSON.stringify(file.entry(theirs, { name: event }))}\n`,
      };
    case 'markdown-block':
      return { path: file.path, text: `# Rules\n\n${theirs}` };
    default:
      return undefined;
  }
}

const BROKEN: Partial<Record<HookFile['shape'], string>> = {
  'json-groups': '{ "hooks": \n',
  'json-flat': '{ "hooks": \n',
  'toml-groups': '[hooks\n',
  'yaml-list': 'a: [\n',
};

it('include agents with hooks', () => {
  expect(hooked.map(({ agent }) => agent)).toContain('claude');
});

describe.each(hooked)('hooks of $agent', ({ agent, hooks: facet }) => {
  it('leave no trace that git sees, are installed once, and are removed completely', async () => {
    const { cwd, git, hooks, at } = openWorkspace();
    const before = projectOf(cwd);
    expect(await hooks.install(agent, at)).toMatchObject({ installed: true, changed: true });
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
    const once = projectOf(cwd);
    expect(await hooks.install(agent, at)).toMatchObject({ installed: true, changed: false });
    expect(projectOf(cwd)).toEqual(once);
    await hooks.uninstall(agent, at);
    expect(projectOf(cwd)).toEqual(before);
  });

  it('call a command that is the same on every machine', async () => {
    const { cwd, hooks, at } = openWorkspace();
    const { states } = await hooks.install(agent, at);
    for (const { path } of states) {
      const text = readFileSync(path, 'utf8');
      expect(text).toContain('amux hooks');
      expect(text).not.toContain(cwd);
      expect(text).not.toContain(dirname(cwd));
    }
    const shared = facet.file.shape === 'plugin' || facet.file.shape === 'markdown-block';
    const all = states.map(({ path }) => readFileSync(path, 'utf8')).join('\n');
    if (!shared) for (const { name } of facet.events) expect(all).toContain(`amux hooks ${agent} ${name}`);
  });

  const user = userFileOf(facet.file, facet.events[0]?.name ?? 'Stop');
  it.runIf(user)("keep the user's own hooks byte for byte", async () => {
    const { cwd, git, write, hooks, at } = openWorkspace();
    const { path, text } = user!;
    write(path, text);
    git('add', '.');
    const before = projectOf(cwd);
    expect(await hooks.install(agent, at)).toMatchObject({ installed: true, states: [{ git: 'tracked' }] });
    const once = readFileSync(join(cwd, path), 'utf8');
    expect(once).toContain(theirs);
    await hooks.install(agent, at);
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(once);
    await hooks.uninstall(agent, at);
    expect(projectOf(cwd)).toEqual(before);
  });

  it.runIf(BROKEN[facet.file.shape])('are not written into a broken file', async () => {
    const { cwd, write, hooks, at } = openWorkspace();
    const path = 'path' in facet.file ? facet.file.path : '';
    const broken = BROKEN[facet.file.shape] ?? '';
    write(path, broken);
    const before = projectOf(cwd);
    const where = expect.stringMatching(/:\d+:\d+: /);
    await expect(hooks.install(agent, at)).rejects.toMatchObject({ code: 'CONFIG_ERROR', message: where });
    expect(projectOf(cwd)).toEqual(before);
  });

  it.runIf(facet.file.shape === 'plugin' || facet.file.shape === 'scripts')(
    'never replace a foreign file',
    async () => {
      const { cwd, write, hooks, at } = openWorkspace();
      const path =
        hooks
          .supported()
          .find((each) => each.agent === agent)
          ?.files.at(-1) ?? '';
      write(path, '// mine\n');
      const before = projectOf(cwd);
      await expect(hooks.install(agent, at)).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
      expect(projectOf(cwd)).toEqual(before);
      await hooks.uninstall(agent, at);
      expect(projectOf(cwd)).toEqual(before);
    },
  );

  it('read any payload without an error, and never exit at the end of a turn', () => {
    const events = [...facet.events.map(({ name }) => name), 'Unknown'];
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.dictionary(fc.string(), fc.anything()), (event, payload) => {
        const report = facet.read(event, payload);
        for (const value of Object.values(report)) expect(typeof value).toBe('string');
        if (/stop/i.test(event)) expect(report.state).not.toBe('exited');
      }),
    );
  });

  it.runIf(facet.forRun)('are the same for a run without a file', () => {
    const launch = facet.forRun?.((event) => `amux hooks ${agent} ${event}`, '/scratch');
    const said = JSON.stringify(launch);
    for (const { name } of facet.events) expect(said).toContain(`amux hooks ${agent} ${name}`);
    expect(existsSync('/scratch')).toBe(false);
  });

  it('carry the marker if the whole file is ours', async () => {
    if (facet.file.shape !== 'plugin' && facet.file.shape !== 'scripts') return;
    const { hooks, at } = openWorkspace();
    const { states } = await hooks.install(agent, at);
    for (const { path } of states) expect(readFileSync(path, 'utf8').split('\n', 2).join()).toContain(HOOK_FILE_MARKER);
  });
});

describe('docs/hooks.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/hooks.md'), 'utf8');
  const rows = new Map(
    page.split('\n').flatMap((line) => {
      const cells = line.split(' | ');
      const agent = /^\| `([\w-]+)`/.exec(line)?.[1];
      return agent === undefined || cells.length < 5 ? [] : [[agent, cells] as const];
    }),
  );

  it('has a row for each agent with hooks, and no other', () => {
    expect([...rows.keys()].toSorted()).toEqual(hooked.map(({ agent }) => agent).toSorted());
  });

  it.each(hooked)('matches the adapter of $agent', ({ agent, hooks: facet }) => {
    const [, files = '', events = '', forRun = ''] = rows.get(agent) ?? [];
    expect(files).toContain('folder' in facet.file ? facet.file.folder : facet.file.path);
    expect(events.split(' ')).toEqual(facet.events.map(({ name }) => `\`${name}\``));
    expect(forRun.startsWith('yes')).toBe(facet.forRun !== undefined);
  });
});
