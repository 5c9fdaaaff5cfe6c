import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHELLS } from '../src/completions/scripts.ts';
import { AMUX, amux, newPlace, PATIENCE_MS, type Place, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };
const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** A machine on which `amux` is a command. */
function withAmux(): Place & { path: string } {
  const place = newPlace();
  const bin = join(place.home, 'bin');
  mkdirSync(bin);
  const words = AMUX.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(bin, 'amux'), `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(join(bin, 'amux'), 0o755);
  return { ...place, path: bin };
}

/** What bash would offer for a line, asked in the way in which it asks. */
function inBash(place: Place & { path: string }, line: string, files: readonly string[] = []): string[] {
  for (const file of files) writeFileSync(join(place.cwd, file), '');
  // bash itself splits the line into COMP_WORDS, at = and : too, as it does when somebody types.
  const script = `
    source <(amux completions bash)
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
    cwd: place.cwd,
    env: { PATH: `${place.path}:/usr/bin:/bin`, HOME: place.home },
    encoding: 'utf8',
  });
  if (stderr) throw new Error(stderr);
  return stdout.split('\n').filter(Boolean);
}

describe.runIf(has('bash'))('bash', () => {
  const place = withAmux();
  writeConfig(userConfig(place), { profiles: { careful: {}, quick: {} } });

  it.each<[string, string[]]>([
    ['amux skills a', ['add']],
    ['amux run --profile=', ['careful', 'quick']],
    ['amux run --profile=c', ['careful']],
    ['amux skills add --agent claude,codex,gem', ['claude,codex,gemini']],
    ['amux nonsense ', []],
  ])('completes %j', options, (line, wanted) => {
    expect(inBash(place, line)).toEqual(wanted);
  });

  it('completes every command, and paths where a path stands', options, () => {
    expect(inBash(place, 'amux ')).toEqual(expect.arrayContaining(['run', 'skills', 'help', '--version']));
    expect(inBash(place, 'amux run --file ', ['one.md', 'two.md']).sort()).toEqual(['one.md', 'two.md']);
    expect(inBash(place, 'amux run --file t')).toEqual(['two.md']);
  });
});

describe.each(SHELLS)('the script for %s', (shell) => {
  it('is printed, and is one that the shell can read', options, async () => {
    const { code, stdout } = await amux(newPlace(), ['completions', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('complete -- ');
    const json = JSON.parse((await amux(newPlace(), ['completions', shell, '--json'])).stdout);
    expect(json).toMatchObject({ shell, script: stdout, install: expect.stringContaining(shell) });
    if (has(shell)) expect(spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' }).stderr).toBe('');
  });
});

describe('amux completions', () => {
  it('wants to know the shell', options, async () => {
    expect(await amux(newPlace(), ['completions', 'csh'])).toMatchObject({ code: 2 });
    expect(await amux(newPlace(), ['completions'])).toMatchObject({ code: 2 });
  });
});
