import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@agent-mux/core';
import { FakeAdapter } from '@agent-mux/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, reports } from '../../test/engine.ts';
import { mergeOptions } from '../run/options/merge-options.ts';
import { PROFILE_FORBIDDEN_OPTIONS } from '../run/options/options.ts';
import { deleteProfile, setProfile } from './edit-profiles.ts';
import { loadConfig } from './load-config.ts';
import { mergeProfiles, profileFields } from './profiles.ts';

let home: string;
let cwd: string;
let userFile: string;
let projectFile: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'profiles-'));
  cwd = join(home, 'repo');
  userFile = join(home, '.config', 'agent-mux', 'config.json');
  projectFile = join(cwd, '.agent-mux', 'config.json');
  mkdirSync(join(cwd, '.git'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}
const location = () => ({ cwd, env: { HOME: home } });
const load = () => loadConfig(location());

describe('project profile with the name of a user profile', () => {
  const own = {
    agent: 'claude',
    model: 'big',
    env: { A: '1' },
    retryPolicy: { maxRetries: 3, multiplier: 2 },
    tags: ['mine'],
    deniedTools: ['Bash'],
    approvalMode: 'prompt',
    timeout: 60_000,
    maxTurns: 5,
    thinkingEffort: 'low',
    thinkingBudgetTokens: 1000,
  };

  it('refines it: maps by entry, denials added, everything else replaced', () => {
    write(userFile, { profiles: { work: own } });
    write(projectFile, {
      profiles: {
        work: {
          model: 'small',
          retryPolicy: { maxRetries: 1 },
          tags: ['theirs'],
          deniedTools: ['Web'],
          approvalMode: 'plan',
          timeout: 1000,
          thinkingEffort: 'off',
        },
      },
    });
    const { profiles, issues } = load();
    expect(issues).toEqual([]);
    expect(profiles.work).toEqual({
      agent: 'claude',
      model: 'small',
      env: { A: '1' },
      retryPolicy: { maxRetries: 1, multiplier: 2 },
      tags: ['theirs'],
      deniedTools: ['Bash', 'Web'],
      approvalMode: 'plan',
      timeout: 1000,
      maxTurns: 5,
      thinkingEffort: 'off',
      thinkingBudgetTokens: 1000,
    });
  });

  it('reports which file sets each field', () => {
    write(userFile, { profiles: { work: own } });
    write(projectFile, {
      profiles: { work: { model: 'small', deniedTools: ['Web'], retryPolicy: { maxRetries: 1 } } },
    });
    const fields = profileFields('work', load().profileLayers.work ?? []);
    expect(fields.find(({ field }) => field === 'deniedTools')?.value).toEqual(['Bash', 'Web']);
    const origins = Object.fromEntries(
      fields.map(({ field, file, line }) => [field, `${file === userFile ? 'user' : 'project'}:${line}`]),
    );
    expect(origins).toMatchObject({
      agent: 'user:4',
      model: 'project:4',
      'env.A': 'user:7',
      'retryPolicy.maxRetries': 'project:9',
      'retryPolicy.multiplier': 'user:11',
      tags: 'user:13',
    });
  });

  it.each([
    ['approvalMode', 'accept-edits'],
    ['agent', 'codex'],
    ['env', { A: '2' }],
    ['mcpServers', { x: { command: 'x' } }],
    ['timeout', 60_001],
    ['timeout', 0],
    ['inactivityTimeout', 0],
    ['afterToolTimeout', 11 * 60_000],
    ['approvalTimeout', 6 * 60_000],
    ['maxTurns', 6],
    ['thinkingEffort', 'high'],
    ['thinkingBudgetTokens', 2000],
    ['retryPolicy', { maxRetries: 4 }],
    ['retryPolicy', { retryOn: ['TIMEOUT'] }],
    ['deniedTools', ['--dangerously-skip-permissions']],
  ])('is ignored entirely if it loosens %s', (field, value) => {
    write(userFile, { profiles: { work: own } });
    write(projectFile, { profiles: { work: { model: 'small', [field]: value } } });
    const { profiles, issues } = load();
    expect(profiles.work).toEqual(own);
    expect(issues).toMatchObject([
      { file: projectFile, field: expect.stringMatching(new RegExp(`^profiles\\.work\\.${field}`)) },
    ]);
  });

  it("cannot loosen a default of the user's profile", () => {
    write(userFile, { profiles: { work: { model: 'big' } } });
    write(projectFile, { profiles: { work: { approvalMode: 'accept-edits' } } });
    expect(load()).toMatchObject({ profiles: { work: { model: 'big' } }, issues: [{ line: 4 }] });
  });
});

describe('project profile with a new name', () => {
  const invalidFields = (profile: object, defaults = {}) => {
    write(projectFile, { profiles: { theirs: profile } });
    return loadConfig({ ...location(), defaults }).issues.map(({ field }) => field.replace('profiles.theirs.', ''));
  };

  it('can set everything that loosens nothing', () => {
    const profile = {
      agent: 'claude',
      model: 'small',
      mode: 'oneshot',
      approvalMode: 'deny',
      deniedTools: ['Web'],
      timeout: 1000,
      maxTurns: 3,
      thinkingEffort: 'max',
      outputSchema: {},
      tags: ['team'],
    };
    expect(invalidFields(profile)).toEqual([]);
    expect(load().profiles.theirs).toEqual(profile);
  });

  it.each([
    ['approvalMode', 'accept-edits'],
    ['inactivityTimeout', 16 * 60_000],
    ['afterToolTimeout', 0],
    ['approvalTimeout', 0],
    ['retryPolicy', { maxRetries: 1 }],
  ])('cannot exceed the defaults: %s', (field, value) => {
    expect(invalidFields({ [field]: value })).toEqual([field]);
  });

  it("cannot exceed the client's defaults or remove a denial", () => {
    const defaults = { timeout: 1000, approvalMode: 'accept-edits' as const, deniedTools: ['Bash'] };
    expect(invalidFields({ timeout: 2000, approvalMode: 'yolo' }, defaults)).toEqual(['approvalMode', 'timeout']);
    expect(invalidFields({ timeout: 500, approvalMode: 'accept-edits', deniedTools: [] }, defaults)).toEqual([]);
    expect(mergeOptions([defaults, { deniedTools: [] }, { deniedTools: ['Web'] }]).deniedTools).toEqual([
      'Bash',
      'Web',
    ]);
  });

  it('cannot choose a user-defined agent with its own permissions', () => {
    write(userFile, { agents: [{ id: 'loose', profile: 'claude-code', claude: { permission_mode: 'auto' } }] });
    expect(invalidFields({ agent: 'loose' })).toEqual(['agent']);
  });

  it('does not override the permissions of a definition with "prompt"', () => {
    expect(invalidFields({ approvalMode: 'prompt', model: 'm' })).toEqual([]);
    expect(load().profiles.theirs).toEqual({ model: 'm' });
  });
});

describe('options forbidden in profiles', () => {
  it.each(Object.keys(PROFILE_FORBIDDEN_OPTIONS))('%s is rejected in a file and in code', (field) => {
    write(userFile, { profiles: { p: { [field]: 'x' } } });
    const { profiles, issues } = load();
    expect(profiles).toEqual({});
    expect(issues).toMatchObject([{ line: 4, field: `profiles.p.${field}` }]);
    expect(issues[0]?.problem).toMatch(/^may not be set by a profile: /);
    const mux = createClient({ adapters: [new FakeAdapter({ steps: [] })], profiles: { p: { [field]: 'x' } } });
    expect(() => mux.run({ agent: 'fake', prompt: 'go', profile: 'p' })).toThrow(`"p" may not set ${field}`);
  });
});

describe('profile', () => {
  it('applies to a run: its environment, below that of the call', async () => {
    const mux = createClient({
      adapters: [new FakeAdapter({ steps: [{ do: 'describe' }] })],
      profiles: mergeProfiles([
        { p: { env: { A: 'low', B: 'low', C: 'low' }, tags: ['low'] } },
        { p: { env: { B: 'high', C: 'high' } } },
      ]),
      runIndex: false,
    });
    const run = mux.run({ agent: 'fake', prompt: 'go', profile: 'p', env: { C: 'call' } });
    const events = await eventsOf(run);
    expect(reports(events, 'process')).toMatchObject([{ env: { A: 'low', B: 'high', C: 'call' } }]);
    expect((await run).tags).toEqual(['low']);
    await mux.close();
  });
});

describe('setProfile', () => {
  const set = (name: string, values: Record<string, unknown>, project = false) =>
    setProfile(name, () => Object.entries(values).map(([path, value]) => ({ path: path.split('.'), value })), {
      ...location(),
      project,
    });

  it('creates the file if missing', async () => {
    expect(await set('quick', { model: 'small', 'retryPolicy.maxRetries': 2 })).toMatchObject({
      file: userFile,
      created: true,
    });
    expect(load().profiles).toEqual({ quick: { model: 'small', retryPolicy: { maxRetries: 2 } } });
    await set('empty', {});
    expect(load().profiles.empty).toEqual({});
    await set('theirs', { model: 'x' }, true);
    expect(load().profileLayers.theirs?.[0]).toMatchObject({ file: projectFile, trusted: false });
  });

  it('keeps comments and everything else, and removes undefined values', async () => {
    write(
      userFile,
      '{\n  // mine\n  "agents": [],\n  "profiles": {\n    "a": { "model": "m", /* why */ "debug": true },\n  },\n}\n',
    );
    await set('a', { model: 'n', debug: undefined });
    await set('b', { model: 'x' });
    const text = readFileSync(userFile, 'utf8');
    expect(text).toContain('// mine');
    expect(text).toContain('"agents": []');
    expect(load()).toMatchObject({ profiles: { a: { model: 'n' }, b: { model: 'x' } }, issues: [] });
    expect(load().profiles.a).not.toHaveProperty('debug');
  });

  it.each([
    [{ modle: 'x' }, 'modle: is not a run option; did you mean mode or model?'],
    [{ timeout: 'soon' }, 'timeout'],
    [{ runId: 'x' }, 'may not be set by a profile: it belongs to one run'],
    [{ 'retryPolicy.maxRetries': -1 }, 'retryPolicy.maxRetries'],
  ])('rejects %j and writes nothing', async (values, problem) => {
    await expect(set('a', values)).rejects.toThrow(problem);
    expect(load().files).toEqual([]);
  });

  it("rejects options forbidden in a project's file", async () => {
    write(userFile, { profiles: { a: { approvalMode: 'plan' } } });
    await expect(set('a', { approvalMode: 'prompt' }, true)).rejects.toThrow('is looser than "plan"');
    await expect(set('b', { 'env.X': '1' }, true)).rejects.toThrow("may not be set by a project's file");
    await expect(set('b', { approvalMode: 'yolo' }, true)).rejects.toThrow('is looser than the default "prompt"');
    expect(load().files).toEqual([userFile]);
  });

  it.each(['', '__proto__', '../x', 'a b', '-x'])('rejects the name %j', async (name) => {
    await expect(set(name, { model: 'x' })).rejects.toThrow('is not a name');
  });

  it('does not write through a link out of the project or into a broken file', async () => {
    mkdirSync(join(home, 'outside'));
    symlinkSync(join(home, 'outside'), join(cwd, '.agent-mux'));
    await expect(set('a', { model: 'x' }, true)).rejects.toThrow('leads out of the project');
    write(userFile, '{ "profiles": {');
    await expect(set('a', { model: 'x' })).rejects.toThrow(`${userFile}:1:`);
    expect(readFileSync(userFile, 'utf8')).toBe('{ "profiles": {');
  });
});

describe('deleteProfile', () => {
  it('removes the named profile', async () => {
    write(userFile, '{\n  "profiles": {\n    // keep\n    "a": {},\n    "b": {}\n  }\n}\n');
    await deleteProfile('b', location());
    expect(load().profiles).toEqual({ a: {} });
    expect(readFileSync(userFile, 'utf8')).toContain('// keep');
  });

  it('suggests existing profiles', async () => {
    write(userFile, { profiles: { alpha: {} } });
    write(projectFile, { profiles: { beta: {} } });
    await expect(deleteProfile('alpah', location())).rejects.toMatchObject({ hint: 'did you mean alpha?' });
    await expect(deleteProfile('beta', location())).rejects.toMatchObject({ hint: `it is in ${projectFile}, line 3` });
    await deleteProfile('beta', { ...location(), project: true });
    expect(Object.keys(load().profiles)).toEqual(['alpha']);
  });
});
