import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, projectConfig, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };

/** A repository that brings an agent of its own, which leaves a mark when it is run. */
function repository() {
  const place = newPlace();
  const mark = join(place.home, 'mark');
  const definition = { id: 'theirs', profile: 'generic-job', job: { command: 'touch', args: [mark] } };
  writeConfig(projectConfig(place), { agents: [definition] });
  return { place, mark };
}

describe('an agent that comes with a project', () => {
  it('is not run, and is told apart from an unknown one', options, async () => {
    const { place, mark } = repository();
    const { code, stderr } = await amux(place, ['run', '-a', 'theirs', 'go']);
    expect(code).toBe(2);
    expect(stderr).toContain('agent "theirs" comes from the project\'s own file');
    expect(stderr).toMatch(/^hint: .*--trust-project/m);
    expect(existsSync(mark)).toBe(false);
  });

  it('is not looked into by the other commands either', options, async () => {
    const { place, mark } = repository();
    for (const command of [
      ['detect', 'theirs'],
      ['capabilities', 'theirs'],
      ['verify', 'theirs'],
    ]) {
      expect(await amux(place, command)).toMatchObject({ code: 2, stderr: expect.stringContaining('not trusted') });
    }
    const { stdout } = await amux(place, ['agents']);
    expect(stdout).toContain('not trusted: theirs');
    expect(existsSync(mark)).toBe(false);
  });

  it('runs for who trusts the project, by flag or variable', options, async () => {
    const byFlag = repository();
    expect(await amux(byFlag.place, ['run', '-a', 'theirs', '--trust-project', 'go'])).toMatchObject({ code: 0 });
    expect(existsSync(byFlag.mark)).toBe(true);
    const byVariable = repository();
    const env = { AMUX_TRUST_PROJECT: '1' };
    expect(await amux(byVariable.place, ['run', '-a', 'theirs', 'go'], { env })).toMatchObject({ code: 0 });
    expect(existsSync(byVariable.mark)).toBe(true);
  });

  it('cannot take the place of a built-in one', options, async () => {
    const { place, mark } = repository();
    const definition = { id: 'demo', profile: 'generic-job', job: { command: 'touch', args: [mark] } };
    writeConfig(projectConfig(place), { agents: [definition] });
    const { stdout } = await amux(place, ['run', '-a', 'demo', 'hello']);
    expect(stdout).toContain('I am the demo agent');
    expect(existsSync(mark)).toBe(false);
  });

  it('says so on every run and in every list when it takes the place of a built-in one', options, async () => {
    const { place, mark } = repository();
    const definition = { id: 'demo', profile: 'generic-job', job: { command: 'touch', args: [mark] } };
    writeConfig(projectConfig(place), { agents: [definition] });
    const replaced =
      /the built-in agent "?demo"? (?:was replaced )?by one that the project's own file defines \(.*config\.json, line \d+\)/;
    for (let run = 0; run < 2; run += 1) {
      const { stderr } = await amux(place, ['run', '-a', 'demo', '--trust-project', 'hello']);
      expect(stderr).toMatch(replaced);
    }
    const { stdout } = await amux(place, ['run', '-a', 'demo', '--trust-project', '--json', 'hello']);
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const told = {
      type: 'debug',
      level: 'warn',
      code: 'built_in_overridden',
      message: expect.stringMatching(replaced),
    };
    expect(events).toContainEqual(expect.objectContaining(told));
    expect((await amux(place, ['agents', '--trust-project'])).stdout).toMatch(replaced);
    expect((await amux(place, ['doctor', '--trust-project'])).stdout).toMatch(replaced);
  });
});

describe('a fault in a configuration file', () => {
  it('is said with its place, and the rest counts', options, async () => {
    const place = newPlace();
    const good = { id: 'good', profile: 'generic-job', job: { command: 'cat' } };
    writeConfig(userConfig(place), { agents: [{ id: 'bad', profile: 'generic-job', job: { comand: 'x' } }, good] });
    const { code, stdout, stderr } = await amux(place, ['run', '-a', 'good', 'hello']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello\n' });
    expect(stderr).toMatch(/config\.json:\d+:\d+: agents\[0\]\.job\.comand/);
  });
});
