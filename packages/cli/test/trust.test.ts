import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, projectConfig, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

/** A repository that defines its own agent, which leaves a mark when it is run. */
function repository() {
  const testHome = createTestHome();
  const mark = join(testHome.home, 'mark');
  const definition = { id: 'theirs', profile: 'generic-job', job: { command: 'touch', args: [mark] } };
  writeConfig(projectConfig(testHome), { agents: [definition] });
  return { testHome, mark };
}

describe('agent defined by a project', () => {
  it('is not run, and is reported as untrusted instead of unknown', options, async () => {
    const { testHome, mark } = repository();
    const { code, stderr } = await amux(testHome, ['run', '-a', 'theirs', 'go']);
    expect(code).toBe(2);
    expect(stderr).toContain('agent "theirs" is defined in the untrusted project file');
    expect(stderr).toMatch(/^hint: .*--trust-project/m);
    expect(existsSync(mark)).toBe(false);
  });

  it('is not used by the other commands either', options, async () => {
    const { testHome, mark } = repository();
    for (const command of [
      ['detect', 'theirs'],
      ['capabilities', 'theirs'],
      ['verify', 'theirs'],
    ]) {
      expect(await amux(testHome, command)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('untrusted project file'),
      });
    }
    const { stdout } = await amux(testHome, ['agents']);
    expect(stdout).toContain('not trusted: theirs');
    expect(existsSync(mark)).toBe(false);
  });

  it('runs if the project is trusted by flag or variable', options, async () => {
    const byFlag = repository();
    expect(await amux(byFlag.testHome, ['run', '-a', 'theirs', '--trust-project', 'go'])).toMatchObject({ code: 0 });
    expect(existsSync(byFlag.mark)).toBe(true);
    const byVariable = repository();
    const env = { AMUX_TRUST_PROJECT: '1' };
    expect(await amux(byVariable.testHome, ['run', '-a', 'theirs', 'go'], { env })).toMatchObject({ code: 0 });
    expect(existsSync(byVariable.mark)).toBe(true);
  });

  it('cannot replace a built-in agent', options, async () => {
    const { testHome, mark } = repository();
    const definition = { id: 'demo', profile: 'generic-job', job: { command: 'touch', args: [mark] } };
    writeConfig(projectConfig(testHome), { agents: [definition] });
    const { stdout } = await amux(testHome, ['run', '-a', 'demo', 'hello']);
    expect(stdout).toContain('I am the demo agent');
    expect(existsSync(mark)).toBe(false);
  });

  it('is reported on every run and in every list if it replaces a built-in agent', options, async () => {
    const { testHome, mark } = repository();
    const definition = { id: 'demo', profile: 'generic-job', job: { command: 'touch', args: [mark] } };
    writeConfig(projectConfig(testHome), { agents: [definition] });
    const replaced =
      /(?:the built-in agent "?demo"? (?:was replaced )?|built-in agent demo, )by one that the project's own file defines \(.*config\.json, line \d+\)/;
    for (let run = 0; run < 2; run += 1) {
      const { stderr } = await amux(testHome, ['run', '-a', 'demo', '--trust-project', 'hello']);
      expect(stderr).toMatch(replaced);
    }
    const { stdout } = await amux(testHome, ['run', '-a', 'demo', '--trust-project', '--json', 'hello']);
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const reported = {
      type: 'debug',
      level: 'warn',
      code: 'built_in_overridden',
      message: expect.stringMatching(replaced),
    };
    expect(events).toContainEqual(expect.objectContaining(reported));
    expect((await amux(testHome, ['agents', '--trust-project'])).stdout).toMatch(replaced);
    expect((await amux(testHome, ['doctor', '--trust-project'])).stdout).toMatch(replaced);
  });
});

describe('issue in a configuration file', () => {
  it('is reported with its position, and the rest applies', options, async () => {
    const testHome = createTestHome();
    const good = { id: 'good', profile: 'generic-job', job: { command: 'cat' } };
    writeConfig(userConfig(testHome), { agents: [{ id: 'bad', profile: 'generic-job', job: { comand: 'x' } }, good] });
    const { code, stdout, stderr } = await amux(testHome, ['run', '-a', 'good', 'hello']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello\n' });
    expect(stderr).toMatch(/config\.json:\d+:\d+: agents\[0\]\.job\.comand/);
  });
});
