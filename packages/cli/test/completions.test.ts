import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHELLS } from '../src/completions/scripts.ts';
import { AMUX, amux, createTestHome, type TestHome, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: TIMEOUT_MS };
const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** A test home with `amux` on its PATH. */
function withAmux(): TestHome & { path: string } {
  const testHome = createTestHome();
  const bin = join(testHome.home, 'bin');
  mkdirSync(bin);
  const words = AMUX.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(bin, 'amux'), `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(join(bin, 'amux'), 0o755);
  return { ...testHome, path: bin };
}

/** Candidates bash would offer for a line. */
function inBash(testHome: TestHome & { path: string }, line: string, files: readonly string[] = []): string[] {
  for (const file of files) writeFileSync(join(testHome.cwd, file), '');
  // bash splits the line into COMP_WORDS, at = and : too, as it does when typing.
  const script = `
    source <(amux completion bash)
    compopt() { :; }
    read -r -a given <<< ${JSON.stringify(line.replaceAll('=', ' = '))}
    COMP_WORDS=("\${given[@]}")
    [[ ${JSON.stringify(line)} == *' ' || ${JSON.stringify(line)} == *= ]] && COMP_WORDS+=('')
    [[ ${JSON.stringify(line)} == *= ]] && unset 'COMP_WORDS[-1]'
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _amux
    (( \${#COMPREPLY[@]} )) && printf '%s\\n' "\${COMPREPLY[@]}"
    exit 0`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    cwd: testHome.cwd,
    env: { PATH: `${testHome.path}:/usr/bin:/bin`, HOME: testHome.home },
    encoding: 'utf8',
  });
  if (stderr) throw new Error(stderr);
  return stdout.split('\n').filter(Boolean);
}

describe.runIf(has('bash'))('bash', () => {
  const testHome = withAmux();
  writeConfig(userConfig(testHome), { profiles: { careful: {}, quick: {} } });

  it.each<[string, string[]]>([
    ['amux skills a', ['add']],
    ['amux run --profile=', ['careful', 'quick']],
    ['amux run --profile=c', ['careful']],
    ['amux skills add --agent claude,codex,gem', ['claude,codex,gemini']],
    ['amux nonsense ', []],
  ])('completes %j', options, (line, wanted) => {
    expect(inBash(testHome, line)).toEqual(wanted);
  });

  it('completes every command, and paths where a path is expected', options, () => {
    expect(inBash(testHome, 'amux ')).toEqual(expect.arrayContaining(['run', 'skills', 'help', '--version']));
    expect(inBash(testHome, 'amux run --file ', ['one.md', 'two.md']).sort()).toEqual(['one.md', 'two.md']);
    expect(inBash(testHome, 'amux run --file t')).toEqual(['two.md']);
  });
});

describe.each(SHELLS)('completion script for %s', (shell) => {
  it('is printed and has valid syntax', options, async () => {
    const { code, stdout } = await amux(createTestHome(), ['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('complete -- ');
    const json = JSON.parse((await amux(createTestHome(), ['completion', shell, '--json'])).stdout);
    expect(json).toMatchObject({ shell, script: stdout, install: expect.stringContaining(shell) });
    if (has(shell)) expect(spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' }).stderr).toBe('');
  });
});

describe('amux completion', () => {
  it('rejects a missing or unknown shell', options, async () => {
    expect(await amux(createTestHome(), ['completion', 'csh'])).toMatchObject({ code: 2 });
    expect(await amux(createTestHome(), ['completion'])).toMatchObject({ code: 2 });
  });
});
