import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeAdapter, type FakeAdapterOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, eventsOf, live, reports, sessionStart, turnEnd, useBench } from '../../test/engine.ts';
import type { AuthCheck } from '../adapter/auth-checks.ts';
import type { AgentConfigSchema } from '../contract/auth-and-config.ts';
import type { EventBody } from '../contract/events.ts';
import type { RunOptions } from '../contract/options.ts';
import { runAgentCommand } from '../registry/ask-agent.ts';

const bench = useBench();

const SCHEMA: AgentConfigSchema = {
  agent: 'fake',
  fields: [],
  configFilePaths: ['~/.fake/config.toml'],
  projectConfigFilePaths: ['.fake/config.toml'],
  format: 'toml',
  env: [
    { fields: ['providers.*.env_key'], login: true },
    { fields: ['servers'], reference: /\$(\w+)/ },
  ],
};

class Configured extends FakeAdapter {
  override readonly configSchema = SCHEMA;
  override readonly hostEnvSignals = ['MARK'];
  protected override readonly authChecks: readonly AuthCheck[] = [{ env: 'FAKE_AGENT_KEY', method: 'api_key' }];
}

const PROVIDER = (name: string) => `[providers.own]\nenv_key = "${name}"\n`;

interface Setup {
  /** The user's own file, and the project's. */
  user?: string;
  project?: string;
  host?: Record<string, string>;
  steps?: FakeAdapterOptions['steps'];
}

function setUp({ user, project, host = {}, steps = [sessionStart, { do: 'describe' }, turnEnd] }: Setup) {
  const [home, cwd] = [bench.folder(), bench.folder()];
  for (const [folder, content] of [[home, user] as const, [cwd, project] as const]) {
    if (content === undefined) continue;
    mkdirSync(join(folder, '.fake'));
    writeFileSync(join(folder, '.fake', 'config.toml'), content);
  }
  const env = { PATH: process.env.PATH, HOME: home, ...host };
  const adapter = new Configured({ steps });
  const { client, run } = bench.use(adapter, { env });
  const start = (options: Partial<RunOptions> = {}) => run({ cwd, ...options });
  const seen = async (options?: Partial<RunOptions>) =>
    reports(await eventsOf(start(options)), 'process')[0]?.env ?? {};
  return { client, adapter, env, start, seen };
}

describe("variable named by the user's configuration of the agent", () => {
  const host = { OWN_KEY: 'key-of-the-provider', SERVER_TOKEN: 'token-of-the-server', OTHER_KEY: 'not-named' };
  const user = `${PROVIDER('OWN_KEY')}[servers.x]\nheader = "Bearer $SERVER_TOKEN"\n`;

  it.each([
    ['one-shot', [sessionStart, { do: 'describe' } as const, turnEnd]],
    ['live', live([{ do: 'describe' }, turnEnd])],
  ])('reaches the agent (%s)', async (_, steps) => {
    const child = await setUp({ user, host, steps }).seen();
    expect(child).toMatchObject({ OWN_KEY: host.OWN_KEY, SERVER_TOKEN: host.SERVER_TOKEN });
    expect(child).not.toHaveProperty('OTHER_KEY');
  });

  it('reaches commands that query the agent', async () => {
    const { client, adapter, env } = setUp({ user, host });
    const args = ['-p', 'process.env.OWN_KEY + process.env.OTHER_KEY'];
    const command = { command: process.execPath, args };
    const { stdout } = await runAgentCommand({ adapters: client.adapters, env }, adapter, command);
    expect(stdout).toBe('key-of-the-providerundefined\n');
  });

  it('is never the marker of a host agent', async () => {
    expect(await setUp({ user: PROVIDER('MARK'), host: { MARK: '1' } }).seen()).not.toHaveProperty('MARK');
  });

  it('is not passed if a project names it, which may name any secret', async () => {
    const { seen } = setUp({ project: PROVIDER('GITHUB_TOKEN'), host: { GITHUB_TOKEN: 'token-of-the-host' } });
    expect(await seen()).not.toHaveProperty('GITHUB_TOKEN');
    expect(await seen({ env: { GITHUB_TOKEN: 'token-of-the-host' } })).toHaveProperty('GITHUB_TOKEN');
  });

  it('is ignored if the file is broken', async () => {
    const { start, client } = setUp({ user: '[providers.own\nenv_key=', project: '\u0000', host });
    expect(await start()).toMatchObject({ exitReason: 'completed' });
    expect(await client.auth.check('fake')).toMatchObject({ status: 'unauthenticated' });
  });

  it('is a login if it is set, and reported if it is not', async () => {
    expect(await setUp({ user, host }).client.auth.check('fake')).toMatchObject({
      status: 'authenticated',
      method: 'api_key',
      details: 'OWN_KEY is set (named by ~/.fake/config.toml)',
    });
    const state = await setUp({ user }).client.auth.check('fake');
    expect(state.status).toBe('unauthenticated');
    expect(state.details).toMatch(/~\/\.fake\/config\.toml names OWN_KEY, which is not set: .*--env OWN_KEY/);
    expect(state.details).not.toContain('SERVER_TOKEN');
  });

  it('is not reported if it is the key itself instead of its name', async () => {
    const { details = '' } = await setUp({ user: PROVIDER('gsk_abcdefghijklmnopqrstuvwx') }).client.auth.check('fake');
    expect(details).toBe('');
  });
});

describe('run that fails because of a missing variable', () => {
  const failing = (body: EventBody) => [sessionStart, event(body)];
  const refused = failing({ type: 'auth_error', message: 'who are you?' });
  const runToMessage = async (setup: Setup, options?: Partial<RunOptions>) =>
    (await setUp(setup).start(options)).error?.message ?? '';

  it('reports the variable and how to pass it', async () => {
    const message = await runToMessage({ user: PROVIDER('OWN_KEY'), steps: refused });
    expect(message).toBe(
      'who are you? (~/.fake/config.toml names OWN_KEY, which is not set: set it, or pass it with --env OWN_KEY=VALUE (SDK: env))',
    );
  });

  it('reports it if the agent mentions the variable in a failure or on stderr', async () => {
    const user = `${PROVIDER('OWN_KEY')}[providers.two]\nenv_key = "UNUSED_KEY"\n`;
    const error = failing({ type: 'error', code: 'AGENT_ERROR', message: 'Missing `OWN_KEY`.', recoverable: false });
    const crash = [
      sessionStart,
      { do: 'line', text: 'no OWN_KEY', to: 'stderr' } as const,
      { do: 'exit', code: 3 } as const,
    ];
    for (const steps of [error, crash]) {
      const message = await runToMessage({ user, steps });
      expect(message).toContain('--env OWN_KEY=VALUE');
      expect(message).not.toContain('UNUSED_KEY');
    }
  });

  it("reports that a project's variables are passed only on request", async () => {
    const setup = { project: PROVIDER('OWN_KEY'), host: { OWN_KEY: 'key-of-the-host' }, steps: refused };
    expect(await runToMessage(setup)).toMatch(
      /names OWN_KEY; variables named by a project .*--env OWN_KEY \(SDK: env\)/,
    );
    expect(await runToMessage(setup, { env: { OWN_KEY: 'setup' } })).toBe('who are you?');
  });

  it('reports nothing if the variable is set or the failure is another', async () => {
    const user = PROVIDER('OWN_KEY');
    expect(await runToMessage({ user, host: { OWN_KEY: 'k' }, steps: refused })).toBe('who are you?');
    const error = failing({ type: 'error', code: 'AGENT_ERROR', message: 'out of luck', recoverable: false });
    expect(await runToMessage({ user, steps: error })).toBe('out of luck');
  });

  it('hides its value in a crash report, whatever its name', async () => {
    const steps = [
      sessionStart,
      { do: 'line', text: 'I have swordfish-1', to: 'stderr' } as const,
      { do: 'exit', code: 3 } as const,
    ];
    const { start } = setUp({ user: PROVIDER('WORD'), host: { WORD: 'swordfish-1' }, steps });
    expect(JSON.stringify(await eventsOf(start()))).not.toContain('swordfish-1');
  });
});
