import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { useBench } from '../../test/engine.ts';
import { PluginAdapter } from '../../test/plugin-adapter.ts';
import { SOURCE_LIMITS } from './source-files.ts';

const bench = useBench();
const MATTER = '---\nname: pdf # the tool\ndescription: Reads PDFs.\nlicense: MIT\n---\n# Steps\n';

function setUp() {
  const home = bench.folder();
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const shared = { skills: { global: '~/.shared/skills', project: '.shared/skills' } };
  const mux = createClient({
    adapters: [
      new PluginAdapter('acme', {
        folder: home,
        extensionFolders: {
          skills: { global: '{ACME_HOME:-~/.acme}/skills', project: '.acme/skills' },
          subagents: { global: '~/.acme/agents' },
        },
      }),
      new PluginAdapter('bolt', { folder: home, extensionFolders: shared }),
      new PluginAdapter('clip', { folder: home, extensionFolders: shared }),
      new PluginAdapter('none', { folder: home }),
    ],
    env: { PATH: process.env.PATH, HOME: home },
    runIndex: false,
  });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    return join(home, path);
  };
  /** A folder with a skill. */
  const skill = (matter = MATTER, folder = 'source') => dirname(write(`${folder}/SKILL.md`, matter));
  return { home, cwd, skills: mux.skills, write, skill };
}

describe('adding a skill', () => {
  it('copies a folder to each agent, once if agents share a location', async () => {
    const { home, cwd, skills, skill, write } = setUp();
    const source = skill();
    chmodSync(write('source/scripts/run.sh', 'echo hi\n'), 0o775);
    write('source/.git/config', 'secret\n');
    const placed = await skills.add(source, { agents: ['acme', 'bolt', 'clip'], cwd });
    expect(placed).toMatchObject([
      { agent: 'acme', name: 'pdf', path: join(home, '.acme/skills/pdf'), status: 'added', scope: 'global' },
      { agent: 'bolt', description: 'Reads PDFs.', path: join(home, '.shared/skills/pdf') },
      { agent: 'clip', path: join(home, '.shared/skills/pdf') },
    ]);
    expect(readFileSync(join(home, '.acme/skills/pdf/SKILL.md'), 'utf8')).toBe(MATTER);
    expect(statSync(join(home, '.acme/skills/pdf/scripts/run.sh')).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(home, '.acme/skills/pdf'))).toEqual(['SKILL.md', 'scripts']);
    expect(readdirSync(join(home, '.acme/skills'))).toEqual(['pdf']);
    expect(await skills.list({ agents: ['clip'], cwd })).toMatchObject([
      { name: 'pdf', description: 'Reads PDFs.', problem: null, kind: 'skill' },
    ]);
  });

  it('lists it once in the home folder, where project and user folders are the same', async () => {
    const { home, cwd, skills, skill } = setUp();
    await skills.add(skill(), { agents: ['acme'], cwd });
    expect(await skills.list({ agents: ['acme'], cwd: home })).toMatchObject([{ name: 'pdf', scope: 'global' }]);
  });

  it('adds to all installed agents by default', async () => {
    const { cwd, skills, skill } = setUp();
    expect((await skills.add(skill(), { cwd })).map(({ agent }) => agent)).toEqual(['acme', 'bolt', 'clip']);
  });

  it('adds to the project under another name and updates the front matter', async () => {
    const { cwd, skills, write } = setUp();
    const file = write('notes.md', MATTER);
    await skills.add(file, { agents: ['acme'], scope: 'project', name: 'pdf-2', cwd });
    const text = readFileSync(join(cwd, '.acme/skills/pdf-2/SKILL.md'), 'utf8');
    expect(text).toBe(MATTER.replace('name: pdf ', 'name: pdf-2 '));
  });

  it('adds a subagent as a file', async () => {
    const { home, cwd, skills, write, skill } = setUp();
    const [placed] = await skills.add(write('a.md', MATTER), { kind: 'subagent', agents: ['acme'], cwd });
    expect(placed?.path).toBe(join(home, '.acme/agents/pdf.md'));
    expect(readFileSync(join(home, '.acme/agents/pdf.md'), 'utf8')).toBe(MATTER);
    await expect(skills.add(skill(), { kind: 'subagent', cwd })).rejects.toThrow('a subagent must be a file');
    await expect(skills.add('../a.md', { kind: 'subagent', agents: ['bolt'], cwd })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
      hint: 'agents that have one: acme',
    });
  });

  it('overwrites nothing without force, and replaces everything with it', async () => {
    const { home, cwd, skills, skill, write } = setUp();
    await skills.add(skill(), { agents: ['acme'], cwd });
    write('.acme/skills/pdf/mine.txt', 'mine');
    await expect(skills.add(skill(), { agents: ['bolt', 'acme'], cwd })).rejects.toThrow('already exists');
    expect(existsSync(join(home, '.shared'))).toBe(false);
    const [again] = await skills.add(skill(`${MATTER}new\n`), { agents: ['acme'], force: true, cwd });
    expect(again?.status).toBe('replaced');
    expect(readdirSync(join(home, '.acme/skills/pdf'))).toEqual(['SKILL.md']);
    expect(readdirSync(join(home, '.acme/skills'))).toEqual(['pdf']);
  });

  it('never replaces something that is not a skill', async () => {
    const { home, cwd, skills, skill, write } = setUp();
    write('.acme/skills/pdf/thesis.txt', 'years of work');
    await expect(skills.add(skill(), { agents: ['acme'], force: true, cwd })).rejects.toThrow('is not replaced');
    expect(existsSync(join(home, '.acme/skills/pdf/thesis.txt'))).toBe(true);
  });

  it('replaces a link without touching its target', async () => {
    const { home, cwd, skills, skill } = setUp();
    const kept = skill(MATTER, 'kept');
    mkdirSync(join(home, '.acme/skills'), { recursive: true });
    symlinkSync(kept, join(home, '.acme/skills/pdf'));
    await skills.add(skill(`${MATTER}new\n`), { agents: ['acme'], force: true, cwd });
    expect(lstatSync(join(home, '.acme/skills/pdf')).isSymbolicLink()).toBe(false);
    expect(readFileSync(join(kept, 'SKILL.md'), 'utf8')).toBe(MATTER);
  });

  it('shares a skill of one agent with another', async () => {
    const { home, cwd, skills, skill } = setUp();
    const placed = await skills.add(skill(MATTER, '.acme/skills/pdf'), { agents: ['acme', 'bolt'], cwd });
    expect(placed.map(({ status }) => status)).toEqual(['unchanged', 'added']);
    expect(existsSync(join(home, '.acme/skills/pdf/SKILL.md'))).toBe(true);
  });

  it.each([
    ['no front matter', '# Steps\n', 'does not start with front matter'],
    ['broken YAML', '---\nname: [\n---\n', ''],
    ['no name', '---\ndescription: x\n---\n', 'no name'],
    ['no description', '---\nname: x\n---\n', 'no description'],
    ['a path as its name', '---\nname: ../../evil\ndescription: x\n---\n', 'must be at most 64 letters'],
    ['a list', '---\n- x\n---\n', 'has no fields'],
    ['an endless description', `---\nname: x\ndescription: ${'y'.repeat(5000)}\n---\n`, 'the limit is 4096'],
  ])('rejects %s', async (_, matter, problem) => {
    const { home, cwd, skills, skill } = setUp();
    await expect(skills.add(skill(matter), { agents: ['acme'], cwd })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(problem),
    });
    expect(existsSync(join(home, '.acme'))).toBe(false);
  });

  it.each(['..', '.', '../x', 'a/b', '/etc', '', '-x', '.hidden', 'a\\b', 'x'.repeat(65), 'a\u0000b'])(
    'rejects the name %j for adding and removing',
    async (name) => {
      const { cwd, skills, skill } = setUp();
      await expect(skills.add(skill(), { agents: ['acme'], name, cwd })).rejects.toThrow('is not a name');
      await expect(skills.remove(name, { agents: ['acme'], cwd })).rejects.toThrow('is not a name');
    },
  );
});

describe('source of a skill', () => {
  it('can contain links to its own files, which are copied, but none that lead out', async () => {
    const { home, cwd, skills, skill, write } = setUp();
    const source = skill();
    write('source/a.txt', 'a');
    symlinkSync('a.txt', join(source, 'b.txt'));
    await skills.add(source, { agents: ['acme'], cwd });
    const copy = join(home, '.acme/skills/pdf/b.txt');
    expect(lstatSync(copy).isFile()).toBe(true);
    expect(readFileSync(copy, 'utf8')).toBe('a');

    symlinkSync(write('private.txt', 'private'), join(source, 'c.txt'));
    await expect(skills.add(source, { agents: ['bolt'], cwd })).rejects.toThrow('c.txt leads out of the folder');
    expect(existsSync(join(home, '.shared'))).toBe(false);
  });

  it('cannot contain a link to a folder, a dangling link or a pipe', async () => {
    const { home, cwd, skills, skill } = setUp();
    const [loop, dangling, pipe] = ['loop', 'dangling', 'pipe'].map((name) => skill(MATTER, name));
    symlinkSync('.', join(loop!, 'self'));
    await expect(skills.add(loop!, { agents: ['acme'], cwd })).rejects.toThrow('self is neither a file nor a folder');
    symlinkSync('gone', join(dangling!, 'x'));
    await expect(skills.add(dangling!, { agents: ['acme'], cwd })).rejects.toThrow('x is dangling');
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(pipe!, 'fifo')]);
    await expect(skills.add(pipe!, { agents: ['acme'], cwd })).rejects.toThrow('fifo is neither a file nor a folder');
    expect(existsSync(join(home, '.acme'))).toBe(false);
  });

  it('is limited in depth and size', async () => {
    const { cwd, skills, skill, write } = setUp();
    const deep = skill(MATTER, 'deep');
    write(`deep/${'d/'.repeat(SOURCE_LIMITS.depth + 1)}x`, '');
    await expect(skills.add(deep, { agents: ['acme'], cwd })).rejects.toThrow('folders deep');
    const large = skill(MATTER, 'large');
    write('large/x', '');
    truncateSync(join(large, 'x'), SOURCE_LIMITS.bytes + 1);
    await expect(skills.add(large, { agents: ['acme'], cwd })).rejects.toThrow('bytes');
    await expect(skills.add('../nowhere', { agents: ['acme'], cwd })).rejects.toThrow('does not exist');
    write('empty/readme.txt', '');
    await expect(skills.add('../empty', { agents: ['acme'], cwd })).rejects.toThrow('it has no SKILL.md');
    await expect(skills.add('../empty/readme.txt', { agents: ['acme'], cwd })).rejects.toThrow('not a Markdown file');
  });
});

describe('project', () => {
  it('cannot write or remove skills outside of it through a link', async () => {
    const { home, cwd, skills, skill, write } = setUp();
    write('outside/skills/pdf/SKILL.md', MATTER);
    symlinkSync(join(home, 'outside'), join(cwd, '.acme'));
    const where = { agents: ['acme'], scope: 'project', cwd } as const;
    await expect(skills.add(skill(), { ...where, name: 'other' })).rejects.toThrow('leads out of the project');
    await expect(skills.remove('pdf', where)).rejects.toThrow('leads out of the project');
    expect(readdirSync(join(home, 'outside/skills'))).toEqual(['pdf']);
  });
});

describe('removing a skill', () => {
  it('removes it everywhere and returns what was removed', async () => {
    const { home, cwd, skills, skill } = setUp();
    await skills.add(skill(), { agents: ['acme', 'bolt'], cwd });
    expect(await skills.remove('pdf', { agents: ['acme'], cwd })).toMatchObject([{ agent: 'acme', name: 'pdf' }]);
    expect(readdirSync(join(home, '.acme/skills'))).toEqual([]);
    expect((await skills.list({ cwd })).map(({ agent }) => agent)).toEqual(['bolt', 'clip']);
    expect(await skills.remove('pdf', { cwd })).toHaveLength(2);
  });

  it('removes a link and not its target', async () => {
    const { home, cwd, skills, skill } = setUp();
    const kept = skill(MATTER, 'kept');
    mkdirSync(join(home, '.acme/skills'), { recursive: true });
    symlinkSync(kept, join(home, '.acme/skills/pdf'));
    await skills.remove('pdf', { agents: ['acme'], cwd });
    expect(existsSync(join(kept, 'SKILL.md'))).toBe(true);
    expect(readdirSync(join(home, '.acme/skills'))).toEqual([]);
  });

  it('never removes something that is not a skill, and suggests names', async () => {
    const { home, cwd, skills, skill, write } = setUp();
    write('.acme/skills/data/thesis.txt', 'x');
    write('.acme/skills/pdf.txt', 'x');
    await skills.add(skill(), { agents: ['acme'], scope: 'project', cwd });
    await expect(skills.remove('data', { agents: ['acme'], cwd })).rejects.toThrow('global skill "data" not found');
    expect(existsSync(join(home, '.acme/skills/data/thesis.txt'))).toBe(true);
    await expect(skills.remove('pdf', { agents: ['acme'], cwd })).rejects.toMatchObject({
      hint: expect.stringContaining('a project skill of that name exists'),
    });
    await expect(skills.remove('pfd', { agents: ['acme'], scope: 'project', cwd })).rejects.toMatchObject({
      hint: 'did you mean pdf?',
    });
  });
});

describe('list of skills', () => {
  it('reports broken skills and keeps the rest', async () => {
    const { cwd, skills, write } = setUp();
    write('.acme/skills/good/SKILL.md', MATTER);
    write('.acme/skills/bad/SKILL.md', 'no front matter');
    write('.acme/skills/.system/SKILL.md', MATTER);
    write('.acme/agents/helper.md', MATTER);
    write('.acme/agents/readme.txt', MATTER);
    expect(await skills.list({ agents: ['acme'], cwd })).toMatchObject([
      { name: 'bad', problem: expect.stringContaining('front matter'), description: null },
      { name: 'pdf', problem: null, kind: 'skill' },
      { name: 'pdf', kind: 'subagent' },
    ]);
  });
});
