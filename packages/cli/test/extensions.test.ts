import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

/** Fake `claude plugin` with list, install and uninstall, stored in a file. */
const CLAUDE = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const file = process.env.HOME + '/plugins.json';
const all = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
const args = process.argv.slice(2);
const id = args.at(-1);
if (args[1] === 'list' && args.includes('--available'))
  console.log(JSON.stringify({ installed: all, available: [{ pluginId: 'hello@m', description: 'Says \\u001b[31mhello' }] }));
else if (args[1] === 'list') console.log(JSON.stringify(all));
else if (args[1] === 'install' && id === 'bad') { console.error('no such plugin: bad'); process.exit(1); }
else if (args[1] === 'install') writeFileSync(file, JSON.stringify([...all, { id: id + '@m', version: '1.0.0', enabled: true, scope: args[3] }]));
else writeFileSync(file, JSON.stringify(all.filter((each) => each.id !== id)));
`;

function setUp() {
  const testHome = createTestHome();
  const bin = join(testHome.home, 'bin');
  mkdirSync(bin);
  for (const [name, text] of [
    ['claude', CLAUDE],
    ['amux', '#!/bin/sh\n'],
  ] as const) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  mkdirSync(join(testHome.home, 'pdf'));
  writeFileSync(join(testHome.home, 'pdf', 'SKILL.md'), '---\nname: pdf\ndescription: Reads PDFs.\n---\n');
  writeFileSync(join(testHome.home, 'reviewer.md'), '---\nname: reviewer\ndescription: Reviews.\n---\n');
  const env = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
  return { ...testHome, run: (...args: string[]) => amux(testHome, args, { env }) };
}

describe('amux plugins', () => {
  it('installs, lists, searches and uninstalls', options, async () => {
    const { run } = setUp();
    expect((await run('plugins')).stdout).toMatch(/^claude +marketplace-plugin/m);
    expect(await run('plugins', 'list', 'claude')).toMatchObject({ code: 0, stdout: 'claude has no plugins\n' });
    expect((await run('plugins', 'search', 'claude', 'hello')).stdout).toMatch(/^hello@m +Says hello$/m);
    expect((await run('plugins', 'install', 'claude', 'hello', '--project')).stdout).toBe(
      '✓ claude: installed hello@m 1.0.0\n',
    );
    expect(JSON.parse((await run('plugins', 'list', 'claude', '--json')).stdout)).toEqual({
      agent: 'claude',
      plugins: [{ id: 'hello@m', version: '1.0.0', enabled: true, format: 'marketplace-plugin', source: 'project' }],
    });
    const gone = await run('plugins', 'uninstall', 'claude', 'hello@m', '--json');
    expect(JSON.parse(gone.stdout)).toEqual({ agent: 'claude', id: 'hello@m', removed: true });
  });

  it('reports why it failed', options, async () => {
    const { run } = setUp();
    expect(await run('plugins', 'install', 'claude', 'bad')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such plugin: bad'),
    });
    expect(await run('plugins', 'list', 'demo')).toMatchObject({ code: 6, stderr: expect.stringContaining('claude') });
    expect(await run('plugins', 'list', 'cluade')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/did you mean claude\b/),
    });
    expect(await run('plugins', 'instal', 'claude', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"amux plugins install"'),
    });
    expect(await run('plugins', 'list', 'claude', '--limit', '3')).toMatchObject({ code: 2 });
    expect(await run('plugins', 'search', 'claude', 'x', '--limit', 'many')).toMatchObject({ code: 2 });
  });
});

describe('amux skills', () => {
  it('adds, lists and removes skills and subagents', options, async () => {
    const { home, cwd, run } = setUp();
    expect((await run('skills')).stdout).toBe('no skills or subagents found\n');
    const added = await run('skills', 'add', '../pdf', '--agent', 'claude');
    expect(added).toMatchObject({ code: 0, stdout: `✓ pdf added: claude ${home}/.claude/skills/pdf\n` });
    await run('skills', 'add', '../reviewer.md', '--subagent', '-a', 'claude', '--project');
    expect(existsSync(join(cwd, '.claude/agents/reviewer.md'))).toBe(true);
    const { stdout } = await run('skills');
    expect(stdout).toMatch(/^pdf +skill +global +claude.* Reads PDFs\.$/m);
    expect(stdout).toMatch(/^reviewer +subagent +project +claude.* Reviews\.$/m);
    const { skills } = JSON.parse((await run('skills', 'list', '--subagent', '--json')).stdout);
    expect(skills).toContainEqual(expect.objectContaining({ agent: 'claude', name: 'reviewer', problem: null }));
    expect((await run('skills', 'remove', 'pdf', '-a', 'claude')).stdout).toContain('✓ pdf removed: claude');
    expect(existsSync(join(home, '.claude/skills/pdf'))).toBe(false);
  });

  it('rejects overwriting, and replaces with --force', options, async () => {
    const { home, run } = setUp();
    await run('skills', 'add', '../pdf', '-a', 'claude', '--name', 'docs');
    expect(readFileSync(join(home, '.claude/skills/docs/SKILL.md'), 'utf8')).toContain('name: docs');
    expect(await run('skills', 'add', '../pdf', '-a', 'claude', '--name', 'docs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists'),
    });
    const forced = await run('skills', 'add', '../pdf', '-a', 'claude', '--name', 'docs', '--force', '--json');
    expect(JSON.parse(forced.stdout)).toMatchObject({ skills: [{ status: 'replaced', name: 'docs' }] });
    expect(await run('skills', 'remove', '../docs', '-a', 'claude')).toMatchObject({ code: 2 });
    expect(await run('skills', 'add', '../nothing', '-a', 'claude')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it does not exist'),
    });
  });
});

describe('amux hooks', () => {
  it('installs, reports and uninstalls', options, async () => {
    const { run, cwd } = setUp();
    const installed = await run('hooks', 'install', 'claude');
    expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ claude hooks installed in ') });
    expect(installed.stdout).toContain(join('.claude', 'settings.local.json'));
    expect((await run('hooks', 'install', 'claude')).stdout).toContain('already');
    expect((await run('hooks')).stdout).toMatch(/^claude +yes +\.claude\/settings\.local\.json/m);
    const status = JSON.parse((await run('hooks', 'status', 'claude', '--json')).stdout);
    expect(status.agents).toMatchObject([{ agent: 'claude', installed: true, forRun: true }]);
    expect(JSON.parse((await run('hooks', 'uninstall', 'claude', '--json')).stdout)).toMatchObject({ changed: true });
    expect(existsSync(join(cwd, '.claude'))).toBe(false);
    expect((await run('hooks', 'uninstall', 'claude')).stdout).toContain('no claude hooks in');
  });

  it('rejects hooks that could not call amux', options, async () => {
    const { run, cwd, home } = setUp();
    rmSync(join(home, 'bin', 'amux'));
    const refused = { stderr: expect.stringMatching(/not on your PATH[\s\S]*npm install -g agent-mux/) };
    expect(await run('hooks', 'install', 'claude')).toMatchObject(refused);
    expect(existsSync(join(cwd, '.claude'))).toBe(false);
    expect(await run('run', '-a', 'claude', '--hooks', '--no-stdin', 'hello')).toMatchObject(refused);
    // The folder npx adds to PATH is temporary.
    const passing = join(home, 'bin', 'node_modules', '.bin');
    mkdirSync(passing, { recursive: true });
    writeFileSync(join(passing, 'amux'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${passing}:${dirname(process.execPath)}:/usr/bin:/bin` };
    expect(await amux({ home, cwd }, ['hooks', 'install', 'claude'], { env })).toMatchObject(refused);
  });

  it('reports why it failed', options, async () => {
    const { run, cwd } = setUp();
    mkdirSync(join(cwd, '.claude'));
    writeFileSync(join(cwd, '.claude', 'settings.local.json'), '{\n  "hooks":\n');
    const broken = await run('hooks', 'install', 'claude');
    expect(broken).toMatchObject({ stderr: expect.stringMatching(/settings\.local\.json:\d+:\d+: /) });
    expect(broken.code).not.toBe(0);
    expect((await run('hooks', 'status', 'claude')).stdout).toMatch(/^claude +broken/m);
    expect(await run('hooks', 'install', 'demo')).toMatchObject({ code: 6, stderr: expect.stringContaining('claude') });
    expect(await run('hooks', 'install')).toMatchObject({ code: 2 });
  });
});
