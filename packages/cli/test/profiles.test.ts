import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, projectConfig, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

describe('amux profiles', () => {
  it('reports a mistyped name, also in a run, and shows durations as entered', options, async () => {
    const here = createTestHome();
    await amux(here, ['profiles', 'set', 'careful', 'agent=demo', 'timeout=1h30m', 'tags=a,b']);
    expect((await amux(here, ['profiles'])).stdout).toMatch(/^careful +demo +user +timeout=1h30m tags=a,b$/m);
    for (const args of [
      ['profiles', 'show', 'carful'],
      ['run', '--profile', 'carful', 'hi'],
    ]) {
      const { code, stderr } = await amux(here, args);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: 'amux: profile "carful" not found\nhint: did you mean careful?\n',
      });
    }
  });

  it('sets, shows the source of each value, and removes', options, async () => {
    const testHome = createTestHome();
    const run = (...args: string[]) => amux(testHome, ['profiles', ...args]);
    expect((await run()).stdout).toContain('no profiles; run');
    const set = await run('set', 'quick', 'agent=demo', 'model=demo-mini', 'timeout=5m', 'env.API_KEY=abcdef123');
    expect(set).toMatchObject({ code: 0, stdout: `✓ quick set ${userConfig(testHome)}\n` });
    await run('set', 'quick', 'tags=team', 'maxTurns=2', '--project');
    expect((await run()).stdout).toMatch(/^quick +demo +user \+ project +.*tags=team/m);
    const { stdout } = await run('show', 'quick');
    expect(stdout).toMatch(new RegExp(`^model +demo-mini +${userConfig(testHome)}:5$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^maxTurns +2 +${projectConfig(testHome)}:\\d+$`, 'm'));
    expect(stdout).not.toContain('abcdef123');
    const json = await run('show', 'quick', '--json');
    expect(json.stdout).not.toContain('abcdef123');
    expect(JSON.parse(json.stdout)).toMatchObject({
      name: 'quick',
      options: { agent: 'demo', timeout: 300_000, tags: ['team'] },
      fields: expect.arrayContaining([
        { field: 'tags', value: ['team'], file: projectConfig(testHome), line: expect.any(Number) },
      ]),
    });
    expect(await run('remove', 'quick', '--project')).toMatchObject({ code: 0 });
    expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
      profiles: [{ name: 'quick', files: [{ line: 3 }] }],
    });
  });

  it("applies in a run: the user's, refined by the project, below the flags", options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), {
      profiles: { quick: { agent: 'demo', model: 'demo-mini', env: { DEMO_SPEED: '0' }, tags: ['user'] } },
    });
    writeConfig(projectConfig(testHome), { profiles: { quick: { tags: ['project'] } } });
    const result = async (...args: string[]) => {
      const { stdout } = await amux(testHome, ['run', '--json', '--profile', 'quick', ...args, 'hello']);
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };
    expect(await result()).toMatchObject({ agent: 'demo', model: 'demo-mini', tags: ['project'] });
    expect(await result('--tag', 'flag')).toMatchObject({ model: 'demo-mini', tags: ['flag'] });
  });

  it('reports issues with file and line', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), { profiles: { careful: { approvalMode: 'plan' } } });
    writeConfig(projectConfig(testHome), { profiles: { careful: { approvalMode: 'accept-edits' } } });
    const { stdout, stderr } = await amux(testHome, ['profiles']);
    expect(stdout).toMatch(/^careful +user +approvalMode=plan$/m);
    expect(stderr).toContain(`${projectConfig(testHome)}:4:7: profiles.careful.approvalMode is looser than "plan"`);
    const before = readFileSync(userConfig(testHome), 'utf8');
    for (const [args, problem] of [
      [['set', 'careful', 'modle=x'], 'did you mean mode or model?'],
      [['set', 'careful', 'timeout=soon'], 'timeout'],
      [['set', 'careful', 'prompt=hi'], 'may not be set by a profile'],
      [['set', 'careful', 'model'], 'is not FIELD=VALUE'],
      [['set', 'careful'], 'missing argument'],
      [['show', 'carful'], 'did you mean careful?'],
      [['remove', 'carful'], 'did you mean careful?'],
      [['sohw', 'careful'], '"amux profiles show"'],
    ] as const) {
      const wrong = await amux(testHome, ['profiles', ...args]);
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
    }
    expect(readFileSync(userConfig(testHome), 'utf8')).toBe(before);
  });
});
