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
import { keepAdapterEnv } from '../../env/child-env.ts';
import { runAgentCommand } from '../../registry/ask-agent.ts';
import { Registry } from '../../registry/registry.ts';

const bench = useBench();

const HOST = {
  PATH: process.env.PATH,
  HOME: '/home/somebody',
  FAKE_AGENT_KEY: 'key-of-the-agent',
  FAKE_AGENT_HOST: '1',
  GITHUB_TOKEN: 'token-of-the-host',
  EDITOR: 'ed',
};

describe('what an adapter sets', () => {
  const keep = (env: Record<string, string>, more: object = {}) =>
    keepAdapterEnv(env, {
      hostEnv: HOST,
      envAllowList: ['FAKE_AGENT_*'],
      allHostSignals: ['FAKE_AGENT_HOST', 'MARK'],
      platform: 'linux',
      ...more,
    });

  it('passes where it is its own: a new name, another value, or a name of its allow-list', () => {
    const own = { NO_UPDATES: '1', GITHUB_TOKEN: 'another-one', FAKE_AGENT_KEY: HOST.FAKE_AGENT_KEY, HOME: HOST.HOME };
    expect(keep(own)).toEqual({ kept: own, dropped: [] });
  });

  it('is left out where it is only the host’s, and told by name', () => {
    expect(keep({ GITHUB_TOKEN: HOST.GITHUB_TOKEN, EDITOR: 'ed', OWN: 'x' })).toEqual({
      kept: { OWN: 'x' },
      dropped: ['GITHUB_TOKEN', 'EDITOR'],
    });
  });

  it('is left out where it is a secret of the host under another name, even one of its own', () => {
    expect(keep({ FAKE_AGENT_EXTRA: HOST.GITHUB_TOKEN, INNOCENT: HOST.GITHUB_TOKEN }).dropped).toEqual([
      'FAKE_AGENT_EXTRA',
      'INNOCENT',
    ]);
    expect(keep({ OTHER_NAME: HOST.FAKE_AGENT_KEY }).dropped).toEqual([]);
  });

  it('never is the mark of a host agent, whatever its value and whoever inherits', () => {
    expect(keep({ MARK: 'mine' }).dropped).toEqual(['MARK']);
    expect(keep({ FAKE_AGENT_HOST: '1' }, { given: { inheritEnv: true } }).dropped).toEqual(['FAKE_AGENT_HOST']);
  });

  it('may be what the caller said, wherever the adapter puts it', () => {
    const given = { mcpServers: { github: { url: 'http://127.0.0.1', bearerToken: HOST.GITHUB_TOKEN } } };
    expect(keep({ FAKE_AGENT_BEARER: HOST.GITHUB_TOKEN }, { given }).dropped).toEqual([]);
    expect(keep({ GITHUB_TOKEN: HOST.GITHUB_TOKEN }, { given: { inheritEnv: true } }).dropped).toEqual([]);
  });

  it('does not speak of the caller’s own variables: those come from the options', () => {
    expect(keep({ MARK: '1', A: 'b' }, { given: { env: { MARK: '1', A: 'b' } } })).toEqual({ kept: {}, dropped: [] });
  });

  it('has one name in all spellings on Windows, and only there', () => {
    const env = { Github_Token: HOST.GITHUB_TOKEN, Editor: 'ed', Mark: '1', Path: String(HOST.PATH) };
    expect(keep(env, { platform: 'win32' })).toEqual({
      kept: { Path: HOST.PATH },
      dropped: ['Github_Token', 'Editor', 'Mark'],
    });
    expect(keep({ Editor: 'ed' }).dropped).toEqual([]);
  });

  it('is of this machine and stays here when the agent runs elsewhere, but for names of its own', () => {
    expect(keep({ HOME: HOST.HOME, PATH: String(HOST.PATH), FAKE_AGENT_KEY: 'k' }, { elsewhere: true })).toEqual({
      kept: { FAKE_AGENT_KEY: 'k' },
      dropped: ['HOME', 'PATH'],
    });
  });

  it('may not come from the process either, where the client has an environment of its own', () => {
    process.env.OF_THE_PROCESS = 'x';
    try {
      expect(keep({ OF_THE_PROCESS: 'x' }).dropped).toEqual(['OF_THE_PROCESS']);
    } finally {
      delete process.env.OF_THE_PROCESS;
    }
  });
});

/** Hands everything on, as careless adapters do. */
class Careless extends FakeAdapter {
  override readonly hostEnvSignals = ['FAKE_AGENT_HOST'];

  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const built = super.buildSpawnArgs(options);
    const host = Object.fromEntries(Object.entries(HOST).flatMap(([name, value]) => (value ? [[name, value]] : [])));
    return { ...built, env: { ...process.env, ...host, NO_UPDATES: '1', ...built.env } as Record<string, string> };
  }
}

describe('an adapter that hands the whole environment on', () => {
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
  ])('hands over what the agent may have, %s, and is told which names were left out', async (_, steps) => {
    const { child, warnings } = await seen(steps);
    expect(child).toMatchObject({ FAKE_AGENT_KEY: HOST.FAKE_AGENT_KEY, HOME: HOST.HOME, NO_UPDATES: '1' });
    for (const name of ['GITHUB_TOKEN', 'FAKE_AGENT_HOST', 'EDITOR', 'NPM_TOKEN'])
      expect(child).not.toHaveProperty(name);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ level: 'warn', message: expect.stringMatching(/\bGITHUB_TOKEN\b/) });
    expect(JSON.stringify(warnings)).not.toContain(HOST.GITHUB_TOKEN);
  });

  it('hands over what the caller passes, and everything but marks where the caller inherits', async () => {
    const passed = await seen(once, { env: { GITHUB_TOKEN: HOST.GITHUB_TOKEN, FAKE_AGENT_HOST: 'mine' } });
    expect(passed.child).toMatchObject({ GITHUB_TOKEN: HOST.GITHUB_TOKEN, FAKE_AGENT_HOST: 'mine' });
    const inherited = await seen(once, { inheritEnv: true });
    expect(inherited.child).toMatchObject({ GITHUB_TOKEN: HOST.GITHUB_TOKEN, EDITOR: 'ed' });
    expect(inherited.child).not.toHaveProperty('FAKE_AGENT_HOST');
  });

  it('hands over nothing of this machine to another one', async () => {
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

  it('keeps it from its server, too', async () => {
    const told = bench.folder();
    const code = `require('fs').writeFileSync(${JSON.stringify(join(told, 'env'))}, Object.keys(process.env).join());process.exit(1)`;
    const facet: HttpLive = {
      transport: 'http',
      sessionFirst: false,
      codec: { open: () => ({}), hello: () => [], turn: () => [], decode: () => ({ events: [] }), resolve: () => [] },
      server: { readUrl: () => undefined, passwordEnv: 'SERVER_PASSWORD' },
    };
    class CarelessServer extends ScriptAdapter {
      override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
        return { ...super.buildSpawnArgs(options), env: { ...process.env, OWN: '1' } as Record<string, string> };
      }
    }
    await bench.use(new CarelessServer(code, facet)).run();
    const names = readFileSync(join(told, 'env'), 'utf8').split(',');
    expect(names).toEqual(expect.arrayContaining(['OWN', 'SERVER_PASSWORD', 'PATH']));
    expect(names).not.toContain('NPM_TOKEN');
  });

  it('keeps it from the commands that ask an agent for models or plugins', async () => {
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
