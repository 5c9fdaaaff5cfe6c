import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeAdapter } from '@agent-mux/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, live, reports, sessionStart, turnEnd, typed, useBench } from '../../../test/engine.ts';
import { plainAdapter } from '../../../test/plain-adapter.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import type { SpawnArgs } from '../../contract/adapter.ts';
import type { HttpLive } from '../../contract/live.ts';
import type { ResolvedRunOptions, RunOptions } from '../../contract/options.ts';
import { filterAdapterEnv } from '../../env/child-env.ts';
import { runAgentCommand } from '../../registry/ask-agent.ts';
import { Registry } from '../../registry/registry.ts';

const bench = useBench();

const HOST = {
  PATH: process.env.PATH,
  HOME: '/home/user',
  FAKE_AGENT_KEY: 'key-of-the-agent',
  FAKE_AGENT_HOST: '1',
  GITHUB_TOKEN: 'token-of-the-host',
  EDITOR: 'ed',
};

describe('variables set by an adapter', () => {
  const keep = (env: Record<string, string>, more: object = {}) =>
    filterAdapterEnv(env, {
      hostEnv: HOST,
      envAllowList: ['FAKE_AGENT_*'],
      allHostSignals: ['FAKE_AGENT_HOST', 'MARK'],
      platform: 'linux',
      ...more,
    });

  it("pass if they are the adapter's own: a new name, another value, or allow-listed", () => {
    const own = { NO_UPDATES: '1', GITHUB_TOKEN: 'another-one', FAKE_AGENT_KEY: HOST.FAKE_AGENT_KEY, HOME: HOST.HOME };
    expect(keep(own)).toEqual({ kept: own, dropped: [] });
  });

  it('are dropped and reported by name if they only copy the host', () => {
    expect(keep({ GITHUB_TOKEN: HOST.GITHUB_TOKEN, EDITOR: 'ed', OWN: 'x' })).toEqual({
      kept: { OWN: 'x' },
      dropped: ['GITHUB_TOKEN', 'EDITOR'],
    });
  });

  it('are dropped if they copy a host secret under another name', () => {
    expect(keep({ FAKE_AGENT_EXTRA: HOST.GITHUB_TOKEN, INNOCENT: HOST.GITHUB_TOKEN }).dropped).toEqual([
      'FAKE_AGENT_EXTRA',
      'INNOCENT',
    ]);
    expect(keep({ OTHER_NAME: HOST.FAKE_AGENT_KEY }).dropped).toEqual([]);
  });

  it('never include the marker of a host agent', () => {
    expect(keep({ MARK: 'mine' }).dropped).toEqual(['MARK']);
    expect(keep({ FAKE_AGENT_HOST: '1' }, { options: { inheritEnv: true } }).dropped).toEqual(['FAKE_AGENT_HOST']);
  });

  it('may be what the caller said, wherever the adapter puts it', () => {
    const given = { mcpServers: { github: { url: 'http://127.0.0.1', bearerToken: HOST.GITHUB_TOKEN } } };
    expect(keep({ FAKE_AGENT_BEARER: HOST.GITHUB_TOKEN }, { options: given }).dropped).toEqual([]);
    expect(keep({ GITHUB_TOKEN: HOST.GITHUB_TOKEN }, { options: { inheritEnv: true } }).dropped).toEqual([]);
  });

  it('does not speak of the caller’s own variables: those come from the options', () => {
    expect(keep({ MARK: '1', A: 'b' }, { options: { env: { MARK: '1', A: 'b' } } })).toEqual({ kept: {}, dropped: [] });
  });

  it('ignore case on Windows only', () => {
    const env = { Github_Token: HOST.GITHUB_TOKEN, Editor: 'ed', Mark: '1', Path: String(HOST.PATH) };
    expect(keep(env, { platform: 'win32' })).toEqual({
      kept: { Path: HOST.PATH },
      dropped: ['Github_Token', 'Editor', 'Mark'],
    });
    expect(keep({ Editor: 'ed' }).dropped).toEqual([]);
  });

  it('keeps values of this machine from a remote agent, except the agent variables', () => {
    expect(keep({ HOME: HOST.HOME, PATH: String(HOST.PATH), FAKE_AGENT_KEY: 'k' }, { isRemote: true })).toEqual({
      kept: { FAKE_AGENT_KEY: 'k' },
      dropped: ['HOME', 'PATH'],
    });
  });

  it('are also compared with process.env if the client has its own environment', () => {
    process.env.OF_THE_PROCESS = 'x';
    try {
      expect(keep({ OF_THE_PROCESS: 'x' }).dropped).toEqual(['OF_THE_PROCESS']);
    } finally {
      delete process.env.OF_THE_PROCESS;
    }
  });
});

/** Passes on the whole environment, as careless adapters do. */
class Careless extends FakeAdapter {
  override readonly hostEnvSignals = ['FAKE_AGENT_HOST'];

  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const built = super.buildSpawnArgs(options);
    const host = Object.fromEntries(Object.entries(HOST).flatMap(([name, value]) => (value ? [[name, value]] : [])));
    return { ...built, env: { ...process.env, ...host, NO_UPDATES: '1', ...built.env } as Record<string, string> };
  }
}

describe('adapter that passes on the whole environment', () => {
  beforeAll(() => {
    process.env.NPM_TOKEN = 'token-of-the-process';
  });
  afterAll(() => {
    delete process.env.NPM_TOKEN;
  });

  const seen = async (
    steps: ConstructorParameters<typeof FakeAdapter>[0]['steps'],
    options: Partial<RunOptions> = {},
  ) => {
    const handle = bench.use(new Careless({ steps }), { env: { ...HOST } }).run(options);
    const events = await eventsOf(handle);
    const [{ env: child } = { env: {} }] = reports(events, 'process');
    const warnings = typed(events, 'debug').filter(({ code }) => code === 'env_dropped');
    return { child, warnings, runId: handle.runId };
  };
  const once = [sessionStart, { do: 'describe' } as const, turnEnd];

  it.each([
    ['one-shot', once],
    ['live', live([{ do: 'describe' }, turnEnd])],
  ])('starts its agent (%s) with allowed names only and reports the others', async (_, steps) => {
    const { child, warnings } = await seen(steps);
    expect(child).toMatchObject({ FAKE_AGENT_KEY: HOST.FAKE_AGENT_KEY, HOME: HOST.HOME, NO_UPDATES: '1' });
    for (const name of ['GITHUB_TOKEN', 'FAKE_AGENT_HOST', 'EDITOR', 'NPM_TOKEN'])
      expect(child).not.toHaveProperty(name);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ level: 'warn', message: expect.stringMatching(/\bGITHUB_TOKEN\b/) });
    expect(JSON.stringify(warnings)).not.toContain(HOST.GITHUB_TOKEN);
  });

  it('passes on what the caller sets, and all but markers with inheritEnv', async () => {
    const passed = await seen(once, { env: { GITHUB_TOKEN: HOST.GITHUB_TOKEN, FAKE_AGENT_HOST: 'mine' } });
    expect(passed.child).toMatchObject({ GITHUB_TOKEN: HOST.GITHUB_TOKEN, FAKE_AGENT_HOST: 'mine' });
    const inherited = await seen(once, { inheritEnv: true });
    expect(inherited.child).toMatchObject({ GITHUB_TOKEN: HOST.GITHUB_TOKEN, EDITOR: 'ed' });
    expect(inherited.child).not.toHaveProperty('FAKE_AGENT_HOST');
  });

  it('passes nothing of this machine to a remote agent', async () => {
    const bin = bench.folder();
    const docker = join(bin, 'docker');
    writeFileSync(
      docker,
      '#!/bin/sh\n[ "$1" = run ] || exit 0; while [ "$1" != i ]; do shift; done; shift; exec "$@"\n',
    );
    chmodSync(docker, 0o755);
    const env = { ...HOST, PATH: `${bin}:${HOST.PATH}` };
    const options = { invocation: { mode: 'docker', image: 'i' } as const, cwd: bench.folder() };
    const events = await eventsOf(bench.use(new Careless({ steps: once }), { env }).run(options));
    const [{ env: child } = { env: {} }] = reports(events, 'process');
    expect(child).toMatchObject({ NO_UPDATES: '1' });
    for (const name of ['GITHUB_TOKEN', 'EDITOR', 'NPM_TOKEN', 'FAKE_AGENT_HOST'])
      expect(child).not.toHaveProperty(name);
    expect(typed(events, 'debug').filter(({ code }) => code === 'env_dropped')).toHaveLength(1);
  });

  it('withholds host variables from its server', async () => {
    const folder = bench.folder();
    const code = `require('fs').writeFileSync(${JSON.stringify(join(folder, 'env'))}, Object.keys(process.env).join());process.exit(1)`;
    const spec: HttpLive = {
      transport: 'http',
      waitForSession: false,
      codec: {
        open: () => ({}),
        handshake: () => [],
        turn: () => [],
        decode: () => ({ events: [] }),
        resolve: () => [],
      },
      server: { readUrl: () => undefined, passwordEnv: 'SERVER_PASSWORD' },
    };
    class CarelessServer extends ScriptAdapter {
      override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
        return { ...super.buildSpawnArgs(options), env: { ...process.env, OWN: '1' } as Record<string, string> };
      }
    }
    await bench.use(new CarelessServer(code, spec)).run();
    const names = readFileSync(join(folder, 'env'), 'utf8').split(',');
    expect(names).toEqual(expect.arrayContaining(['OWN', 'SERVER_PASSWORD', 'PATH']));
    expect(names).not.toContain('NPM_TOKEN');
  });

  it('withholds host variables from commands that list models or plugins', async () => {
    const adapters = new Registry({ env: HOST });
    const adapter = plainAdapter('acme', {
      cliCommand: process.execPath,
      needsNoInstall: true,
      hostEnvSignals: ['FAKE_AGENT_HOST'],
    });
    adapters.register(adapter);
    const args = ['-p', 'JSON.stringify(process.env)'];
    const env = { ...process.env, ...HOST, OWN: '1' } as Record<string, string>;
    const { stdout } = await runAgentCommand({ adapters, env: HOST }, adapter, { args, env });
    const child = JSON.parse(stdout) as Record<string, string>;
    expect(child).toMatchObject({ OWN: '1', HOME: HOST.HOME });
    for (const name of ['GITHUB_TOKEN', 'NPM_TOKEN', 'FAKE_AGENT_HOST']) expect(child).not.toHaveProperty(name);
  });
});
