import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, projectConfig, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };

describe('amux profiles', () => {
  it('names a mistyped one, also of a run, and shows times as they are given', options, async () => {
    const here = newPlace();
    await amux(here, ['profiles', 'set', 'careful', 'agent=demo', 'timeout=1h30m', 'tags=a,b']);
    expect((await amux(here, ['profiles'])).stdout).toMatch(/^careful +demo +user +timeout=1h30m tags=a,b$/m);
    for (const args of [
      ['profiles', 'show', 'carful'],
      ['run', '--profile', 'carful', 'hi'],
    ]) {
      const { code, stderr } = await amux(here, args);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: 'amux: there is no profile "carful"\nhint: did you mean careful?\n',
      });
    }
  });

  it('sets, shows where each value comes from, and deletes', options, async () => {
    const place = newPlace();
    const run = (...args: string[]) => amux(place, ['profiles', ...args]);
    expect((await run()).stdout).toContain('there are no profiles');
    const set = await run('set', 'quick', 'agent=demo', 'model=demo-mini', 'timeout=5m', 'env.API_KEY=abcdef123');
    expect(set).toMatchObject({ code: 0, stdout: `✓ quick set ${userConfig(place)}\n` });
    await run('set', 'quick', 'tags=team', 'maxTurns=2', '--project');
    expect((await run()).stdout).toMatch(/^quick +demo +user \+ project +.*tags=team/m);
    const { stdout } = await run('show', 'quick');
    expect(stdout).toMatch(new RegExp(`^model +demo-mini +${userConfig(place)}:5$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^maxTurns +2 +${projectConfig(place)}:\\d+$`, 'm'));
    expect(stdout).not.toContain('abcdef123');
    const json = await run('show', 'quick', '--json');
    expect(json.stdout).not.toContain('abcdef123');
    expect(JSON.parse(json.stdout)).toMatchObject({
      name: 'quick',
      options: { agent: 'demo', timeout: 300_000, tags: ['team'] },
      fields: expect.arrayContaining([
        { field: 'tags', value: ['team'], file: projectConfig(place), line: expect.any(Number) },
      ]),
    });
    expect(await run('delete', 'quick', '--project')).toMatchObject({ code: 0 });
    expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
      profiles: [{ name: 'quick', files: [{ line: 3 }] }],
    });
  });

  it('takes effect in a run: the user’s, refined by the project, below the flags', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), {
      profiles: { quick: { agent: 'demo', model: 'demo-mini', env: { DEMO_SPEED: '0' }, tags: ['user'] } },
    });
    writeConfig(projectConfig(place), { profiles: { quick: { tags: ['project'] } } });
    const result = async (...args: string[]) => {
      const { stdout } = await amux(place, ['run', '--json', '--profile', 'quick', ...args, 'hello']);
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };
    expect(await result()).toMatchObject({ agent: 'demo', model: 'demo-mini', tags: ['project'] });
    expect(await result('--tag', 'flag')).toMatchObject({ model: 'demo-mini', tags: ['flag'] });
  });

  it('says what is wrong, with the file and the line', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), { profiles: { careful: { approvalMode: 'plan' } } });
    writeConfig(projectConfig(place), { profiles: { careful: { approvalMode: 'accept-edits' } } });
    const { stdout, stderr } = await amux(place, ['profiles']);
    expect(stdout).toMatch(/^careful +user +approvalMode=plan$/m);
    expect(stderr).toContain(`${projectConfig(place)}:4:7: profiles.careful.approvalMode is looser than the plan`);
    const before = readFileSync(userConfig(place), 'utf8');
    for (const [words, problem] of [
      [['set', 'careful', 'modle=x'], 'did you mean mode or model?'],
      [['set', 'careful', 'timeout=soon'], 'timeout'],
      [['set', 'careful', 'prompt=hi'], 'may not be set by a profile'],
      [['set', 'careful', 'model'], 'is not FIELD=VALUE'],
      [['set', 'careful'], 'needs more words'],
      [['show', 'carful'], 'did you mean careful?'],
      [['delete', 'carful'], 'did you mean careful?'],
      [['sohw', 'careful'], '"amux profiles show"'],
    ] as const) {
      const wrong = await amux(place, ['profiles', ...words]);
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
    }
    expect(readFileSync(userConfig(place), 'utf8')).toBe(before);
  });
});
