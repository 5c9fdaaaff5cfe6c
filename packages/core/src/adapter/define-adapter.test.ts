import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createParseContext, createResolvedOptions } from '@agent-mux/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentAdapter, AgentMode, ParseContext } from '../contract/adapter.ts';
import { NO_CAPABILITIES } from '../contract/capabilities.ts';
import { CapabilityError, ValidationError } from '../contract/errors.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { SessionStore } from '../contract/sessions.ts';
import { findAdapterIssues } from '../registry/validate-adapter.ts';
import { sessionFiles } from '../session-stores/store.ts';
import type { AuthCheck } from './auth-checks.ts';
import { BaseAgentAdapter } from './base-adapter.ts';
import { type AdapterSpec, defineAdapter } from './define-adapter.ts';

const MODES: readonly AgentMode[] = [
  { name: 'oneshot', driver: 'oneshot', summary: 'one', capabilities: { ...NO_CAPABILITIES, canResume: true } },
  { name: 'plain', driver: 'oneshot', summary: 'two', capabilities: NO_CAPABILITIES },
];
const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'ACME_KEY', method: 'api_key' },
  { file: '~/.acme/auth.json', key: 'token', method: 'oauth' },
];
const AUTH_GUIDANCE = { steps: ['Set ACME_KEY.'], methods: [] };
const CONFIG_SCHEMA = {
  fields: [{ name: 'model', type: 'string' as const, description: 'the model' }],
  configFilePaths: ['~/.acme/settings.json'],
  projectConfigFilePaths: ['.acme.json'],
};
const STORE: SessionStore = sessionFiles({
  agent: 'acme',
  root: '~/.acme/sessions',
  accepts: (path) => path.endsWith('.txt'),
  parse: (text) => ({ sessionId: text, messages: [] }),
});
const parseLine = (line: string, { now }: ParseContext): EventBody[] => [
  { type: 'text_delta', delta: `${now} ${line}` },
];

const least: AdapterSpec = {
  agent: 'acme',
  displayName: 'Acme',
  cliCommand: 'acme',
  modes: MODES,
  launch: ({ prompt }) => ({ args: [prompt] }),
};
const whole: AdapterSpec = {
  ...least,
  models: [{ id: 'm', contextWindow: null, maxOutputTokens: null, supportsThinking: false, supportsImageInput: false }],
  authChecks: AUTH_CHECKS,
  authGuidance: AUTH_GUIDANCE,
  configSchema: CONFIG_SCHEMA,
  sessionStore: STORE,
  parse: parseLine,
  onTimeout: () => ({ type: 'error', code: 'TIMEOUT', message: 'own words', recoverable: true }),
};

class Least extends BaseAgentAdapter {
  readonly agent: string = 'acme';
  readonly displayName = 'Acme';
  readonly cliCommand = 'acme';
  override readonly modes = MODES;
  buildSpawnArgs({ prompt, cwd }: ResolvedRunOptions) {
    return { command: 'acme', args: [prompt], env: {}, cwd, usePty: false };
  }
  parseEvent(_line: string, _context: ParseContext): EventBody[] | null {
    return null;
  }
}
class Whole extends Least {
  override readonly models = whole.models ?? [];
  override readonly configSchema = { agent: 'acme', ...CONFIG_SCHEMA };
  override readonly sessionStore = STORE;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;
  override parseEvent = parseLine;
  override onTimeout(): EventBody {
    return { type: 'error', code: 'TIMEOUT', message: 'own words', recoverable: true };
  }
}

let home: string;
const before = process.env.HOME;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'define-adapter-'));
  await mkdir(join(home, '.acme', 'sessions'), { recursive: true });
  await writeFile(join(home, '.acme', 'settings.json'), '{"model":"big"}');
  await writeFile(join(home, '.acme', 'auth.json'), '{"token":"t"}');
  await writeFile(join(home, '.acme', 'sessions', 'one.txt'), 'first');
  process.env.HOME = home;
});
afterAll(async () => {
  process.env.HOME = before;
  await rm(home, { recursive: true, force: true });
});

/** Everything the contract requires of an adapter: results or errors. */
async function answersOf(adapter: AgentAdapter): Promise<Record<string, unknown>> {
  const options = createResolvedOptions({ agent: 'acme', mode: 'oneshot', prompt: 'hi', cwd: '/work' });
  const limited: EventBody = { type: 'rate_limit_error', message: 'slow down', retrying: false };
  const session = join(home, '.acme', 'sessions', 'one.txt');
  const asked: Record<string, () => unknown> = {
    data: () => [adapter.agent, adapter.displayName, adapter.cliCommand, adapter.modes, adapter.models],
    capabilities: () => adapter.capabilities,
    configSchema: () => adapter.configSchema,
    applyDefaults: () => adapter.applyDefaults?.(options) ?? options,
    buildSpawnArgs: () => adapter.buildSpawnArgs(options),
    parseEvent: () => adapter.parseEvent('a line', createParseContext({ now: 7 })),
    getAuthGuidance: () => adapter.getAuthGuidance(),
    detectAuth: () => adapter.detectAuth(),
    detectAuthByKey: () => adapter.detectAuth({ HOME: '/nowhere', ACME_KEY: 'k' }),
    sessionDir: () => adapter.sessionDir(),
    listSessionFiles: () => adapter.listSessionFiles(),
    parseSessionFile: () => adapter.parseSessionFile(session),
    readConfig: () => adapter.readConfig('/nowhere'),
    writeConfig: () => adapter.writeConfig({ values: { color: 'red' } }),
    onSpawnError: () => adapter.onSpawnError?.(new Error('ENOENT')),
    onTimeout: () => adapter.onTimeout?.('run'),
    onProcessExit: () => [adapter.onProcessExit?.(0, null), adapter.onProcessExit?.(null, 'SIGKILL')],
    shouldRetry: () => [0, 9].map((attempt) => adapter.shouldRetry?.(limited, attempt, options.retryPolicy)),
    issues: () => findAdapterIssues(adapter),
  };
  const answers = Object.entries(asked).map(async ([name, ask]) => [name, await answered(ask)]);
  return Object.fromEntries(await Promise.all(answers));
}

async function answered(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    return error instanceof Error ? `refused: ${error.message}` : error;
  }
}

describe('spec and class with the same data', () => {
  it.each([
    ['minimal', () => defineAdapter(least), () => new Least()],
    ['nearly complete', () => defineAdapter(whole), () => new Whole()],
  ])('behave the same: %s', async (_, defined, made) => {
    const answers = await answersOf(defined());
    expect(answers).toEqual(await answersOf(made()));
    expect(answers.issues).toEqual([]);
  });

  it('cover non-trivial values', async () => {
    expect(await answersOf(defineAdapter(whole))).toMatchObject({
      detectAuth: { status: 'authenticated', method: 'oauth' },
      listSessionFiles: [join(home, '.acme', 'sessions', 'one.txt')],
      parseSessionFile: { agent: 'acme', sessionId: 'first' },
      readConfig: { model: 'big' },
      writeConfig: expect.stringContaining('color'),
      onTimeout: { message: 'own words' },
    });
    expect(await answersOf(defineAdapter(least))).toMatchObject({
      detectAuth: { status: 'unknown' },
      sessionDir: expect.stringContaining('session folder of'),
    });
  });
});

describe('adapter spec', () => {
  it('derives the command, the folder and the name', () => {
    const adapter = defineAdapter({ ...whole, launch: () => ({ args: ['x'], usePty: true }) });
    const options = createResolvedOptions({ cwd: '/work' });
    expect(adapter.buildSpawnArgs(options)).toEqual({
      command: 'acme',
      args: ['x'],
      env: {},
      cwd: '/work',
      usePty: true,
    });
    expect(adapter.configSchema.agent).toBe('acme');
    expect(adapter.capabilities.canResume).toBe(true);
  });

  it('is available on its adapter and can be reused for another agent', () => {
    const { spec } = defineAdapter(whole);
    const other = defineAdapter({ ...spec, agent: 'other', displayName: 'Other', cliCommand: '/opt/other' });
    expect(other.buildSpawnArgs(createResolvedOptions({})).command).toBe('/opt/other');
    expect(other.configSchema.agent).toBe('other');
    expect(other.getAuthGuidance()).toMatchObject({ agent: 'other', steps: ['Set ACME_KEY.'] });
    expect(other.onSpawnError?.(new Error('x'))).toMatchObject({ message: 'Other could not be started: x' });
  });

  it('receives the environment of the process', () => {
    const adapter = defineAdapter({ ...least, launch: (_options, env) => ({ args: [env.ACME_HOME ?? 'none'] }) });
    expect(adapter.buildSpawnArgs(createResolvedOptions({}), { ACME_HOME: '/a' }).args).toEqual(['/a']);
    expect(adapter.buildSpawnArgs(createResolvedOptions({})).args).toEqual(['none']);
  });

  it('lists the modes with native permission modes and rejects them in others', () => {
    const adapter = defineAdapter({ ...least, nativeModes: ['oneshot'] });
    const start = (mode: string) =>
      adapter.buildSpawnArgs(createResolvedOptions({ mode, nativePermissionMode: 'all' }));
    expect(() => start('plain')).toThrow(CapabilityError);
    expect(() => start('plain')).toThrow('Acme has no native permission modes in mode "plain"');
    expect(() => start('oneshot')).not.toThrow();
  });

  it('can override its login checks', async () => {
    const adapter = defineAdapter({
      ...whole,
      detectAuth: async (env, checked) => ({
        ...(await checked()),
        ...(env.ACME_USER ? { identity: env.ACME_USER } : {}),
      }),
    });
    expect(await adapter.detectAuth({ ACME_KEY: 'k', ACME_USER: 'me' })).toMatchObject({
      status: 'authenticated',
      identity: 'me',
    });
  });

  it('reports all issues at once', () => {
    const { launch: _, modes: __, ...rest } = whole;
    const invalid: object = { ...rest, lauch: () => ({ args: [] }), parse: 'no' };
    const define = () => Reflect.apply(defineAdapter, undefined, [invalid]);
    expect(define).toThrow(ValidationError);
    expect(define).toThrow(/"acme".*lauch: is not a known field of a spec; did you mean launch\?/);
    expect(define).toThrow(/launch: must be a function.*parse: must be a function.*modes: must be/);
  });
});
