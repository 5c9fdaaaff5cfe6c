import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, start, TIMEOUT_MS, writeProgram } from './amux.ts';

const options = { timeout: 2 * TIMEOUT_MS };

/** A PATH on which these commands come first. */
function withCommands(commands: Record<string, string>) {
  const testHome = createTestHome();
  const bin = join(testHome.home, 'path');
  for (const [name, script] of Object.entries(commands)) writeProgram(bin, name, script);
  return { testHome, bin, env: { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':') } };
}

describe('amux install', () => {
  it('prints the command with --dry-run', options, async () => {
    const { testHome, env } = withCommands({ npm: 'exit 9' });
    expect(await amux(testHome, ['install', 'claude', '--dry-run', '--version', '2.0.1'], { env })).toMatchObject({
      code: 0,
      stdout: 'npm install -g @anthropic-ai/claude-code@2.0.1\n',
    });
    const python = withCommands({ pip: 'exit 9' });
    expect(await amux(python.testHome, ['install', 'hermes', '--dry-run'], python)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("pip install 'hermes-agent[acp]'"),
    });
    const json = await amux(testHome, ['install', 'claude', '--dry-run', '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, dryRun: true, changed: false, method: 'npm' });
  });

  it('installs, shows the installer output and checks the result', options, async () => {
    const { testHome, bin, env } = withCommands({});
    writeProgram(
      bin,
      'npm',
      `echo fetching; printf '#!/bin/sh\\necho 9.9.9\\n' > ${bin}/claude; chmod +x ${bin}/claude`,
    );
    const { code, stdout, stderr } = await amux(testHome, ['install', 'claude'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'fetching\n' });
    expect(stdout).toBe(`✓ Claude Code 9.9.9 is installed ${bin}/claude\n`);
    expect(await amux(testHome, ['install', 'claude'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is already installed'),
    });
    expect(await amux(testHome, ['install', 'claude', '--version', '1.0.0', '--json'], { env })).toMatchObject({
      code: 1,
    });
  });

  it('fails with a hint', options, async () => {
    const { testHome, env } = withCommands({ npm: 'echo "npm error code EACCES" >&2; exit 243' });
    expect(await amux(testHome, ['install', 'claude'], { env })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ "npm install.*ended with code 243.*\n {2}run "npm config set prefix/),
    });
  });

  it.each([
    [3, ['install', 'cloude']],
    [2, ['install']],
    [2, ['install', 'claude', '--method', 'magic']],
    [2, ['install', 'claude', '--version', '1;2']],
    [6, ['install', 'cursor', '--version', '1.0.0']],
    [6, ['install', 'cursor', '--method', 'npm']],
    [4, ['update', 'claude']],
    [0, ['uninstall', 'claude']],
    [0, ['install', 'demo']],
  ] as const)('exits with %i for %j', options, async (code, args) => {
    const done = await amux(createTestHome(), args);
    expect({ code: done.code, output: done.stdout + done.stderr }).toMatchObject({ code });
  });

  it('stops the installer on Ctrl-C', options, async () => {
    const { testHome, env } = withCommands({ npm: 'echo started; sleep 60; touch "$HOME/done"' });
    const run = start(testHome, ['install', 'claude'], env);
    await run.until('started');
    run.child.kill('SIGINT');
    expect(await run.finished).toMatchObject({ code: 13 });
    expect(existsSync(join(testHome.home, 'done'))).toBe(false);
  });

  it('updates and uninstalls with the real npm what was installed with it', options, async () => {
    const { testHome, env } = withCommands({});
    const prefix = join(testHome.home, 'prefix');
    const folder = join(testHome.home, 'pkg');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: '@anthropic-ai/claude-code', version: '2.0.0', bin: { claude: 'claude.sh' } }),
    );
    writeFileSync(join(folder, 'claude.sh'), '#!/bin/sh\necho 2.0.0\n');
    const all = {
      ...env,
      PATH: `${prefix}/bin:${env.PATH}`,
      npm_config_prefix: prefix,
      npm_config_cache: join(testHome.home, 'cache'),
      npm_config_offline: 'true',
    };
    const context = { cwd: testHome.home, env: { ...all, HOME: testHome.home } };
    execFileSync('npm', ['pack', './pkg', '--silent'], context);
    execFileSync('npm', ['install', '-g', './anthropic-ai-claude-code-2.0.0.tgz'], context);
    expect(await amux(testHome, ['update', 'claude', '--dry-run'], { env: all })).toMatchObject({
      code: 0,
      stdout: `npm install -g @anthropic-ai/claude-code@latest --prefix ${prefix}\n`,
    });
    expect(await amux(testHome, ['uninstall', 'claude'], { env: all })).toMatchObject({
      code: 0,
      stdout: '✓ Claude Code is uninstalled\n',
    });
    expect(existsSync(join(prefix, 'bin/claude'))).toBe(false);
  });
});
