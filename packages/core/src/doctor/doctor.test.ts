import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { type Scratch, useScratch } from '../../test/scratch.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import { readNativeConfig } from '../native-config/read.ts';
import { Registry } from '../registry/registry.ts';
import { runDoctor, type SelfState } from './doctor.ts';

const scratch = useScratch();

async function diagnose(home: Scratch, over: Partial<AgentAdapter>, { named = false, own = {} as SelfState } = {}) {
  const adapters = new Registry({ env: home.env });
  adapters.register(plainAdapter('acme', over));
  const findings = await runDoctor({ adapters, env: home.env, own }, named ? { agents: ['acme'] } : {});
  const of = (agent: string | null) => (check: string) =>
    findings.filter((finding) => finding.agent === agent && finding.check === check);
  return { findings, acme: of('acme'), own: of(null) };
}

const SCHEMA = {
  agent: 'acme',
  fields: [
    { name: 'model', type: 'string' as const, description: '' },
    { name: 'mode', type: 'string' as const, description: '', values: ['a', 'b'] },
  ],
  configFilePaths: ['~/.acme.json'],
  projectConfigFilePaths: [],
};
const WITH_CONFIG = {
  configSchema: SCHEMA,
  readConfig: (cwd?: string, env?: NodeJS.ProcessEnv) => readNativeConfig(SCHEMA, { cwd, env }),
};

describe('doctor', () => {
  it('reports a healthy agent', async () => {
    const home = scratch();
    const path = home.command('acme', 'echo 1.2.3');
    home.write('.acme.json', '{"model":"m","mode":"a"}');
    const { findings, acme } = await diagnose(home, {
      ...WITH_CONFIG,
      minVersion: '1.0.0',
      verifiedVersions: ['1.2.3'],
    });
    expect(acme('binary')).toEqual([{ level: 'ok', check: 'binary', agent: 'acme', message: path }]);
    expect(acme('version')[0]).toMatchObject({ level: 'ok' });
    expect(acme('login')[0]).toMatchObject({ level: 'ok', message: 'logged in' });
    expect(acme('config')[0]).toMatchObject({ level: 'ok', message: expect.stringContaining('.acme.json') });
    expect(findings.filter(({ level }) => level === 'error' || level === 'warning')).toEqual([]);
  });

  it('reports a missing agent as an error only if it was named', async () => {
    const installMethods = [{ type: 'npm' as const, platforms: 'all' as const, command: 'npm install -g acme' }];
    const over = { installMethods };
    const hint = 'run "amux install acme"';
    expect((await diagnose(scratch(), over)).acme('binary')[0]).toMatchObject({ level: 'info', hint });
    expect((await diagnose(scratch(), over, { named: true })).acme('binary')[0]).toMatchObject({
      level: 'error',
      hint,
    });
  });

  it.each([
    [{ minVersion: '2.0.0' }, 'error', 'run "amux update acme"'],
    [{ minVersion: '1.0.0', verifiedVersions: ['1.0.0'] }, 'info', 'run "amux verify acme" to verify it here, offline'],
    [{ minVersion: '1.0.0', versionArgs: ['mute'] }, 'warning', 'check the output of "acme mute"'],
    [{ documentedBy: ['a page'] }, 'info', undefined],
    [{}, 'ok', undefined],
  ] as const)('checks its version: %j', async (over, level, hint) => {
    const home = scratch();
    home.command('acme', '[ "$1" = mute ] || echo 1.2.3');
    const [finding] = (await diagnose(home, over)).acme('version');
    expect(finding).toMatchObject({ level });
    expect(finding?.hint).toBe(hint);
  });

  it.each([
    ['unauthenticated', 'warning'],
    ['expired', 'warning'],
    ['unknown', 'info'],
  ] as const)('checks the login: %s', async (status, level) => {
    const home = scratch();
    home.command('acme', 'echo 1.2.3');
    const { acme } = await diagnose(home, { detectAuth: async () => ({ status }) });
    expect(acme('login')[0]).toMatchObject({ level, hint: 'run "amux auth guide acme"' });
  });

  it('finds issues in the files of an agent', async () => {
    const broken = scratch();
    broken.write('.acme.json', '{"model": ');
    expect((await diagnose(broken, WITH_CONFIG)).acme('config')[0]).toMatchObject({
      level: 'error',
      message: expect.stringMatching(/\.acme\.json:1:\d+: cannot be read/),
    });
    const odd = scratch();
    odd.write('.acme.json', '{"model":3,"mode":"c"}');
    const found = (await diagnose(odd, WITH_CONFIG)).acme('config');
    expect(found.map(({ level }) => level)).toEqual(['warning', 'warning']);
    expect(found[1]?.message).toMatch(/\.acme\.json:1:\d+: mode must be one of/);
    const own = { readConfig: () => Promise.reject(new Error('custom read failed')) };
    expect((await diagnose(scratch(), own)).acme('config')[0]).toMatchObject({
      level: 'error',
      message: expect.stringContaining('custom read failed'),
    });
  });

  it('checks agent-mux itself: Node.js, its files, its host', async () => {
    const issue = { file: '/c.json', line: 3, column: 5, field: 'agents[0].id', problem: 'must be a name' };
    const home = scratch();
    const inside = { ...home, env: { ...home.env, ACME_SESSION: '1' } };
    const { own } = await diagnose(
      inside,
      { hostEnvSignals: ['ACME_SESSION'] },
      { own: { configFiles: ['/c.json'], configIssues: [issue], untrusted: [{ id: 'x', file: '/p.json', line: 1 }] } },
    );
    expect(own('node')[0]).toMatchObject({ level: 'ok' });
    expect(own('own-config').map(({ level }) => level)).toEqual(['error', 'info']);
    expect(own('own-config')[0]?.message).toBe('/c.json:3:5: agents[0].id must be a name');
    expect(own('host')[0]).toMatchObject({ level: 'info', message: expect.stringContaining('ACME_SESSION') });
  });

  it('rejects an unknown agent', async () => {
    const adapters = new Registry({ env: {} });
    await expect(runDoctor({ adapters, env: {} }, { agents: ['x'] })).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });
});
