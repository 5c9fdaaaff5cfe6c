import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, hasScript, onTerminal, type TestHome, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };
const NAMES = ['claude', 'codex', 'gemini'];

/** Fake agents that print a version and record that they were started; with a gate, they wait until it exists. */
function installAll(testHome: TestHome, version: string, gate = '') {
  const bin = join(testHome.home, 'bin');
  const starts = join(testHome.home, 'starts');
  mkdirSync(bin, { recursive: true });
  writeFileSync(starts, '');
  for (const name of NAMES) {
    const wait = gate === '' ? '' : `while [ ! -e ${gate} ]; do sleep 0.05; done\n`;
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${starts}\n${wait}echo ${version}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return {
    env: { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, NO_COLOR: '1' },
    started: () => readFileSync(starts, 'utf8').split('\n').filter(Boolean).sort(),
  };
}

describe.skipIf(process.platform === 'win32')('versions of installed agents', () => {
  it('are queried once and cached by all commands', options, async () => {
    const testHome = createTestHome();
    const { env, started } = installAll(testHome, '1.2.3');
    const { agents } = JSON.parse((await amux(testHome, ['agents', '--json'], { env })).stdout);
    expect(agents).toContainEqual(expect.objectContaining({ agent: 'codex', installed: true, version: '1.2.3' }));
    const asked = started();
    expect([...new Set(asked)]).toEqual(NAMES);
    for (const args of [['agents'], ['doctor', '--json'], ['detect', 'claude']]) await amux(testHome, args, { env });
    expect(started()).toEqual(asked);
  });

  it('are marked as too old if older than any verified version', options, async () => {
    const testHome = createTestHome();
    const { env } = installAll(testHome, '1.2.3');
    const { stdout } = await amux(testHome, ['agents'], { env });
    expect(stdout).toMatch(/^claude .* 1\.2\.3 .* too old /m);
    expect(stdout).toMatch(/^codex .* 1\.2\.3 .* verified /m);
  });

  it.runIf(hasScript)('are shown from the cache at once and redrawn when refreshed', options, async () => {
    const testHome = createTestHome();
    await amux(testHome, ['agents'], { env: installAll(testHome, '1.0.0').env });
    const gate = join(testHome.home, 'gate');
    const { env } = installAll(testHome, '2.0.0', gate);
    const shown = onTerminal(testHome, ['agents'], env);
    await shown.until(/codex +Codex +1\.0\.0…/);
    expect(shown.output()).not.toContain('2.0.0');
    expect(existsSync(gate)).toBe(false);
    writeFileSync(gate, '');
    const { code, stdout } = await shown.finished;
    expect(code).toBe(0);
    const last = stdout.slice(stdout.lastIndexOf('AGENT  '));
    expect(last).toMatch(/^codex +Codex +2\.0\.0 /m);
    expect(last).not.toContain('…');
    expect(last).toMatch(/Not installed: .*aider/);
  });

  it.runIf(hasScript)('do not delay what doctor already knows', options, async () => {
    const testHome = createTestHome();
    const gate = join(testHome.home, 'gate');
    const shown = onTerminal(testHome, ['doctor'], installAll(testHome, '2.0.0', gate).env);
    await shown.until('Demo agent');
    expect(shown.output()).not.toContain('Gemini CLI');
    writeFileSync(gate, '');
    const { stdout } = await shown.finished;
    expect(stdout).toContain('Gemini CLI');
    expect(stdout).toMatch(/\d+ warnings?/);
  });

  it.runIf(hasScript)('leave no process running after Ctrl-C', options, async () => {
    const testHome = createTestHome();
    const { env, started } = installAll(testHome, '2.0.0', join(testHome.home, 'gate'));
    const shown = onTerminal(testHome, ['agents'], env);
    await shown.until(/codex +Codex +…/);
    await expect.poll(() => started().length, { timeout: TIMEOUT_MS }).toBeGreaterThan(0);
    shown.child.stdin?.write('\x03');
    expect((await shown.finished).code).toBe(13);
  });
});

describe.runIf(hasScript)('command output', () => {
  const testHome = createTestHome();
  const { env } = installAll(testHome, '1.2.3');
  const COMMANDS = [
    ['agents'],
    ['doctor'],
    ['models'],
    ['auth'],
    ['capabilities', 'claude', 'codex'],
    ['config'],
    ['remote'],
    ['help'],
  ];

  it.each(COMMANDS)('fits 40 columns: amux %s', options, async (...args) => {
    const { stdout } = await onTerminal(testHome, args, env, { columns: 40 }).finished;
    const wide = stripVTControlCharacters(stdout)
      .split('\n')
      .map((each) => each.slice(each.lastIndexOf('\r', each.length - 2) + 1).trimEnd())
      // Text to be copied is never cut: commands and paths.
      .filter((each) => [...each].length > 40 && !/^ *(?:→ |amux )|\/\S{12,}/.test(each));
    expect(wide).toEqual([]);
  });
});
