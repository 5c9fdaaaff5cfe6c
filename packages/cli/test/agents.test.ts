import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { amux, hasScript, newPlace, onTerminal, PATIENCE_MS, type Place } from './amux.ts';

const options = { timeout: PATIENCE_MS };
const NAMES = ['claude', 'codex', 'gemini'];

/** Stand-ins that tell a version and note that they were started; with a gate, not before it is open. */
function installAll(place: Place, version: string, gate = '') {
  const bin = join(place.home, 'bin');
  const starts = join(place.home, 'starts');
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

describe.skipIf(process.platform === 'win32')('the versions of installed agents', () => {
  it('are asked for once, and by no command again while nothing changes', options, async () => {
    const place = newPlace();
    const { env, started } = installAll(place, '1.2.3');
    const { agents } = JSON.parse((await amux(place, ['agents', '--json'], { env })).stdout);
    expect(agents).toContainEqual(expect.objectContaining({ agent: 'codex', installed: true, version: '1.2.3' }));
    const asked = started();
    expect([...new Set(asked)]).toEqual(NAMES);
    for (const args of [['agents'], ['doctor', '--json'], ['detect', 'claude']]) await amux(place, args, { env });
    expect(started()).toEqual(asked);
  });

  it('are told as older than any with evidence', options, async () => {
    const place = newPlace();
    const { env } = installAll(place, '1.2.3');
    const { stdout } = await amux(place, ['agents'], { env });
    expect(stdout).toMatch(/^claude .* 1\.2\.3 .* too old /m);
    expect(stdout).toMatch(/^codex .* 1\.2\.3 .* proven /m);
  });

  it.runIf(hasScript)('stand there at once as they were, and are drawn again as they are told', options, async () => {
    const place = newPlace();
    await amux(place, ['agents'], { env: installAll(place, '1.0.0').env });
    const gate = join(place.home, 'gate');
    const { env } = installAll(place, '2.0.0', gate);
    const shown = onTerminal(place, ['agents'], env);
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

  it.runIf(hasScript)('keep nobody from seeing what doctor knows already', options, async () => {
    const place = newPlace();
    const gate = join(place.home, 'gate');
    const shown = onTerminal(place, ['doctor'], installAll(place, '2.0.0', gate).env);
    await shown.until('Demo agent');
    expect(shown.output()).not.toContain('Gemini CLI');
    writeFileSync(gate, '');
    const { stdout } = await shown.finished;
    expect(stdout).toContain('Gemini CLI');
    expect(stdout).toMatch(/\d+ warnings?/);
  });

  it.runIf(hasScript)('leave no process behind when Ctrl-C ends the list', options, async () => {
    const place = newPlace();
    const { env, started } = installAll(place, '2.0.0', join(place.home, 'gate'));
    const shown = onTerminal(place, ['agents'], env);
    await shown.until(/codex +Codex +…/);
    await expect.poll(() => started().length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
    shown.child.stdin?.write('\x03');
    expect((await shown.finished).code).toBe(13);
  });
});

describe.runIf(hasScript)('what commands show', () => {
  const place = newPlace();
  const { env } = installAll(place, '1.2.3');
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
    const { stdout } = await onTerminal(place, args, env, { columns: 40 }).finished;
    const wide = stripVTControlCharacters(stdout)
      .split('\n')
      .map((each) => each.slice(each.lastIndexOf('\r', each.length - 2) + 1).trimEnd())
      // What is to be copied is whole: commands, paths and what they are made of.
      .filter((each) => [...each].length > 40 && !/^ *(?:→ |amux )|\/\S{12,}/.test(each));
    expect(wide).toEqual([]);
  });
});
