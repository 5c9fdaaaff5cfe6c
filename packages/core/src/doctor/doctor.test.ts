import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { type Scratch, useScratch } from '../../test/scratch.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import { readNativeConfig } from '../native-config/read.ts';
import { Registry } from '../registry/registry.ts';
import { examine, type OwnState } from './doctor.ts';

const scratch = useScratch();

async function look(place: Scratch, over: Partial<AgentAdapter>, { named = false, own = {} as OwnState } = {}) {
  const adapters = new Registry({ env: place.env });
  adapters.register(plainAdapter('acme', over));
  const findings = await examine({ adapters, env: place.env, own }, named ? { agents: ['acme'] } : {});
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

describe('a doctor', () => {
  it('finds an agent in order', async () => {
    const place = scratch();
    const path = place.command('acme', 'echo 1.2.3');
    place.write('.acme.json', '{"model":"m","mode":"a"}');
    const { findings, acme } = await look(place, { ...WITH_CONFIG, minVersion: '1.0.0', provenVersions: ['1.2.3'] });
    expect(acme('binary')).toEqual([{ level: 'ok', check: 'binary', agent: 'acme', message: path }]);
    expect(acme('version')[0]).toMatchObject({ level: 'ok' });
    expect(acme('login')[0]).toMatchObject({ level: 'ok', message: 'logged in' });
    expect(acme('config')[0]).toMatchObject({ level: 'ok', message: expect.stringContaining('.acme.json') });
    expect(findings.filter(({ level }) => level === 'error' || level === 'warning')).toEqual([]);
  });

  it('takes an agent that is missing for an error only where somebody asked for it', async () => {
    const installMethods = [{ type: 'npm' as const, platforms: 'all' as const, command: 'npm install -g acme' }];
    const over = { installMethods };
    const remedy = 'amux install acme';
    expect((await look(scratch(), over)).acme('binary')[0]).toMatchObject({ level: 'info', remedy });
    expect((await look(scratch(), over, { named: true })).acme('binary')[0]).toMatchObject({ level: 'error', remedy });
  });

  it.each([
    [{ minVersion: '2.0.0' }, 'error', 'amux update acme'],
    [{ minVersion: '1.0.0', provenVersions: ['1.0.0'] }, 'info', 'amux verify acme proves it here, offline'],
    [{ minVersion: '1.0.0', versionArgs: ['mute'] }, 'warning', 'look at what "acme mute" says'],
    [{ documentedBy: ['a page'] }, 'info', undefined],
    [{}, 'ok', undefined],
  ] as const)('judges its version: %j', async (over, level, remedy) => {
    const place = scratch();
    place.command('acme', '[ "$1" = mute ] || echo 1.2.3');
    const [finding] = (await look(place, over)).acme('version');
    expect(finding).toMatchObject({ level });
    expect(finding?.remedy).toBe(remedy);
  });

  it.each([
    ['unauthenticated', 'warning'],
    ['expired', 'warning'],
    ['unknown', 'info'],
  ] as const)('looks at the login: %s', async (status, level) => {
    const place = scratch();
    place.command('acme', 'echo 1.2.3');
    const { acme } = await look(place, { detectAuth: async () => ({ status }) });
    expect(acme('login')[0]).toMatchObject({ level, remedy: 'amux auth guide acme' });
  });

  it('finds what is wrong in the files of an agent', async () => {
    const broken = scratch();
    broken.write('.acme.json', '{"model": ');
    expect((await look(broken, WITH_CONFIG)).acme('config')[0]).toMatchObject({
      level: 'error',
      message: expect.stringMatching(/\.acme\.json:1:\d+: cannot be read/),
    });
    const odd = scratch();
    odd.write('.acme.json', '{"model":3,"mode":"c"}');
    const found = (await look(odd, WITH_CONFIG)).acme('config');
    expect(found.map(({ level }) => level)).toEqual(['warning', 'warning']);
    expect(found[1]?.message).toMatch(/\.acme\.json:1:\d+: mode must be one of/);
    const own = { readConfig: () => Promise.reject(new Error('its own way of reading fails')) };
    expect((await look(scratch(), own)).acme('config')[0]).toMatchObject({
      level: 'error',
      message: expect.stringContaining('its own way of reading fails'),
    });
  });

  it('looks at agent-mux itself: Node.js, its own files, where it runs', async () => {
    const fault = { file: '/c.json', line: 3, column: 5, field: 'agents[0].id', problem: 'must be a name' };
    const place = scratch();
    const inside = { ...place, env: { ...place.env, ACME_SESSION: '1' } };
    const { own } = await look(
      inside,
      { hostEnvSignals: ['ACME_SESSION'] },
      { own: { configFiles: ['/c.json'], configFaults: [fault], untrusted: [{ id: 'x', file: '/p.json', line: 1 }] } },
    );
    expect(own('node')[0]).toMatchObject({ level: 'ok' });
    expect(own('own-config').map(({ level }) => level)).toEqual(['error', 'info']);
    expect(own('own-config')[0]?.message).toBe('/c.json:3:5: agents[0].id must be a name');
    expect(own('host')[0]).toMatchObject({ level: 'info', message: expect.stringContaining('ACME_SESSION') });
  });

  it('refuses an agent that nobody knows', async () => {
    const adapters = new Registry({ env: {} });
    await expect(examine({ adapters, env: {} }, { agents: ['x'] })).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });
});
