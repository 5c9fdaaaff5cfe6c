import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@agent-mux/core';
import { FakeAdapter } from '@agent-mux/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, reports } from '../../test/engine.ts';
import { mergeOptions } from '../run/options/merge-options.ts';
import { PROFILE_REFUSALS } from '../run/options/options.ts';
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
const place = () => ({ cwd, env: { HOME: home } });
const load = () => loadConfig(place());

describe("a project's profile of a name that the user has", () => {
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

  it("refines the user's: maps by entry, denials added, lists and all else as a whole", () => {
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
    const { profiles, faults } = load();
    expect(faults).toEqual([]);
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

  it('is told apart by field: which file has the last word', () => {
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
  ])('may not make %s looser, and then does not count at all', (field, value) => {
    write(userFile, { profiles: { work: own } });
    write(projectFile, { profiles: { work: { model: 'small', [field]: value } } });
    const { profiles, faults } = load();
    expect(profiles.work).toEqual(own);
    expect(faults).toMatchObject([
      { file: projectFile, field: expect.stringMatching(new RegExp(`^profiles\\.work\\.${field}`)) },
    ]);
  });

  it("may not loosen what the user's leaves to the default", () => {
    write(userFile, { profiles: { work: { model: 'big' } } });
    write(projectFile, { profiles: { work: { approvalMode: 'accept-edits' } } });
    expect(load()).toMatchObject({ profiles: { work: { model: 'big' } }, faults: [{ line: 4 }] });
  });
});

describe("a project's profile of a name that the user does not have", () => {
  const fieldsAtFault = (profile: object, defaults = {}) => {
    write(projectFile, { profiles: { theirs: profile } });
    return loadConfig({ ...place(), defaults }).faults.map(({ field }) => field.replace('profiles.theirs.', ''));
  };

  it('may say everything that loosens nothing', () => {
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
    expect(fieldsAtFault(profile)).toEqual([]);
    expect(load().profiles.theirs).toEqual(profile);
  });

  it.each([
    ['approvalMode', 'accept-edits'],
    ['inactivityTimeout', 16 * 60_000],
    ['afterToolTimeout', 0],
    ['approvalTimeout', 0],
    ['retryPolicy', { maxRetries: 1 }],
  ])('may not go beyond what holds without it: %s', (field, value) => {
    expect(fieldsAtFault({ [field]: value })).toEqual([field]);
  });

  it('may not go beyond what the client was given either, nor take a denial back', () => {
    const defaults = { timeout: 1000, approvalMode: 'accept-edits' as const, deniedTools: ['Bash'] };
    expect(fieldsAtFault({ timeout: 2000, approvalMode: 'yolo' }, defaults)).toEqual(['approvalMode', 'timeout']);
    expect(fieldsAtFault({ timeout: 500, approvalMode: 'accept-edits', deniedTools: [] }, defaults)).toEqual([]);
    expect(mergeOptions([defaults, { deniedTools: [] }, { deniedTools: ['Web'] }]).deniedTools).toEqual([
      'Bash',
      'Web',
    ]);
  });

  it('may not choose an agent that the user has defined, with permissions of its own', () => {
    write(userFile, { agents: [{ id: 'loose', profile: 'claude-code', claude: { permission_mode: 'auto' } }] });
    expect(fieldsAtFault({ agent: 'loose' })).toEqual(['agent']);
  });

  it('does not stand over the permissions of a definition by saying prompt, which holds anyway', () => {
    expect(fieldsAtFault({ approvalMode: 'prompt', model: 'm' })).toEqual([]);
    expect(load().profiles.theirs).toEqual({ model: 'm' });
  });
});

describe('what no profile may set', () => {
  it.each(Object.keys(PROFILE_REFUSALS))('%s is refused in a file and in code', (field) => {
    write(userFile, { profiles: { p: { [field]: 'x' } } });
    const { profiles, faults } = load();
    expect(profiles).toEqual({});
    expect(faults).toMatchObject([{ line: 4, field: `profiles.p.${field}` }]);
    expect(faults[0]?.problem).toMatch(/^may not be set by a profile: /);
    const mux = createClient({ adapters: [new FakeAdapter({ steps: [] })], profiles: { p: { [field]: 'x' } } });
    expect(() => mux.run({ agent: 'fake', prompt: 'go', profile: 'p' })).toThrow(`"p" may not set ${field}`);
  });
});

describe('a profile', () => {
  it('takes effect in a run: its environment, beneath that of the call', async () => {
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
      ...place(),
      project,
    });

  it('makes the file where there is none', async () => {
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

  it('keeps comments and everything else, and takes out what is undefined', async () => {
    write(
      userFile,
      '{\n  // mine\n  "agents": [],\n  "profiles": {\n    "a": { "model": "m", /* why */ "debug": true },\n  },\n}\n',
    );
    await set('a', { model: 'n', debug: undefined });
    await set('b', { model: 'x' });
    const text = readFileSync(userFile, 'utf8');
    expect(text).toContain('// mine');
    expect(text).toContain('"agents": []');
    expect(load()).toMatchObject({ profiles: { a: { model: 'n' }, b: { model: 'x' } }, faults: [] });
    expect(load().profiles.a).not.toHaveProperty('debug');
  });

  it.each([
    [{ modle: 'x' }, 'modle: is not a run option; did you mean mode or model?'],
    [{ timeout: 'soon' }, 'timeout'],
    [{ runId: 'x' }, 'may not be set by a profile: it belongs to one run'],
    [{ 'retryPolicy.maxRetries': -1 }, 'retryPolicy.maxRetries'],
  ])('refuses %j and writes nothing', async (values, problem) => {
    await expect(set('a', values)).rejects.toThrow(problem);
    expect(load().files).toEqual([]);
  });

  it('refuses for a project what a project may not say', async () => {
    write(userFile, { profiles: { a: { approvalMode: 'plan' } } });
    await expect(set('a', { approvalMode: 'prompt' }, true)).rejects.toThrow('is looser than the plan');
    await expect(set('b', { 'env.X': '1' }, true)).rejects.toThrow("may not be set by a project's file");
    await expect(set('b', { approvalMode: 'yolo' }, true)).rejects.toThrow(
      'is looser than the prompt that holds without it',
    );
    expect(load().files).toEqual([userFile]);
  });

  it.each(['', '__proto__', '../x', 'a b', '-x'])('refuses the name %j', async (name) => {
    await expect(set(name, { model: 'x' })).rejects.toThrow('is not a name');
  });

  it('does not write through a link out of the project, nor into a file that is broken', async () => {
    mkdirSync(join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), join(cwd, '.agent-mux'));
    await expect(set('a', { model: 'x' }, true)).rejects.toThrow('leads out of the project');
    write(userFile, '{ "profiles": {');
    await expect(set('a', { model: 'x' })).rejects.toThrow(`${userFile}:1:`);
    expect(readFileSync(userFile, 'utf8')).toBe('{ "profiles": {');
  });
});

describe('deleteProfile', () => {
  it('takes out the one that is named', async () => {
    write(userFile, '{\n  "profiles": {\n    // keep\n    "a": {},\n    "b": {}\n  }\n}\n');
    await deleteProfile('b', place());
    expect(load().profiles).toEqual({ a: {} });
    expect(readFileSync(userFile, 'utf8')).toContain('// keep');
  });

  it('says what there is instead', async () => {
    write(userFile, { profiles: { alpha: {} } });
    write(projectFile, { profiles: { beta: {} } });
    await expect(deleteProfile('alpah', place())).rejects.toMatchObject({ hint: 'did you mean alpha?' });
    await expect(deleteProfile('beta', place())).rejects.toMatchObject({ hint: `it stands in ${projectFile}, line 3` });
    await deleteProfile('beta', { ...place(), project: true });
    expect(Object.keys(load().profiles)).toEqual(['alpha']);
  });
});
