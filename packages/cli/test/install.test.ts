import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, start, writeProgram } from './amux.ts';

const options = { timeout: 2 * PATIENCE_MS };

/** A PATH on which these commands stand before all others. */
function withCommands(commands: Record<string, string>) {
  const place = newPlace();
  const bin = join(place.home, 'path');
  for (const [name, script] of Object.entries(commands)) writeProgram(bin, name, script);
  return { place, bin, env: { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':') } };
}

describe('amux install', () => {
  it('shows what it would run', options, async () => {
    const { place, env } = withCommands({ npm: 'exit 9' });
    expect(await amux(place, ['install', 'claude', '--dry-run', '--version', '2.0.1'], { env })).toMatchObject({
      code: 0,
      stdout: 'npm install -g @anthropic-ai/claude-code@2.0.1\n',
    });
    const python = withCommands({ pip: 'exit 9' });
    expect(await amux(python.place, ['install', 'hermes', '--dry-run'], python)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("pip install 'hermes-agent[acp]'"),
    });
    const json = await amux(place, ['install', 'claude', '--dry-run', '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, dryRun: true, changed: false, method: 'npm' });
  });

  it('installs, shows what the installer says, and looks afterwards', options, async () => {
    const { place, bin, env } = withCommands({});
    writeProgram(
      bin,
      'npm',
      `echo fetching; printf '#!/bin/sh\\necho 9.9.9\\n' > ${bin}/claude; chmod +x ${bin}/claude`,
    );
    const { code, stdout, stderr } = await amux(place, ['install', 'claude'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'fetching\n' });
    expect(stdout).toBe(`✓ Claude Code 9.9.9 is installed ${bin}/claude\n`);
    expect(await amux(place, ['install', 'claude'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is already installed'),
    });
    expect(await amux(place, ['install', 'claude', '--version', '1.0.0', '--json'], { env })).toMatchObject({
      code: 1,
    });
  });

  it('fails with what helps', options, async () => {
    const { place, env } = withCommands({ npm: 'echo "npm error code EACCES" >&2; exit 243' });
    expect(await amux(place, ['install', 'claude'], { env })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ "npm install.*ended with code 243.*\n {2}let npm use a folder of your own/),
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
    const done = await amux(newPlace(), args);
    expect({ code: done.code, output: done.stdout + done.stderr }).toMatchObject({ code });
  });

  it('ends the installer with Ctrl-C', options, async () => {
    const { place, env } = withCommands({ npm: 'echo begun; sleep 60; touch "$HOME/done"' });
    const run = start(place, ['install', 'claude'], env);
    await run.until('begun');
    run.child.kill('SIGINT');
    expect(await run.finished).toMatchObject({ code: 13 });
    expect(existsSync(join(place.home, 'done'))).toBe(false);
  });

  it('updates and removes with the real npm what was installed with it', options, async () => {
    const { place, env } = withCommands({});
    const prefix = join(place.home, 'prefix');
    const folder = join(place.home, 'pkg');
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
      npm_config_cache: join(place.home, 'cache'),
      npm_config_offline: 'true',
    };
    const around = { cwd: place.home, env: { ...all, HOME: place.home } };
    execFileSync('npm', ['pack', './pkg', '--silent'], around);
    execFileSync('npm', ['install', '-g', './anthropic-ai-claude-code-2.0.0.tgz'], around);
    expect(await amux(place, ['update', 'claude', '--dry-run'], { env: all })).toMatchObject({
      code: 0,
      stdout: `npm install -g @anthropic-ai/claude-code@latest --prefix ${prefix}\n`,
    });
    expect(await amux(place, ['uninstall', 'claude'], { env: all })).toMatchObject({
      code: 0,
      stdout: '✓ Claude Code is uninstalled\n',
    });
    expect(existsSync(join(prefix, 'bin/claude'))).toBe(false);
  });
});
