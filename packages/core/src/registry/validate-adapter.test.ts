import { describe, expect, it } from 'vitest';
import { NO_CAPABILITIES } from '../contract/capabilities.ts';
import { ValidationError } from '../contract/errors.ts';
import { assertAdapter, findAdapterIssues } from './validate-adapter.ts';

const fn = () => undefined;
const good = () => ({
  agent: 'acme',
  displayName: 'Acme',
  cliCommand: 'acme',
  capabilities: { ...NO_CAPABILITIES },
  models: [{ id: 'm' }],
  configSchema: { agent: 'acme', fields: [], configFilePaths: [], projectConfigFilePaths: [] },
  buildSpawnArgs: fn,
  parseEvent: fn,
  detectAuth: fn,
  getAuthGuidance: fn,
  sessionDir: fn,
  parseSessionFile: fn,
  listSessionFiles: fn,
  readConfig: fn,
  writeConfig: fn,
});
const codec = { open: fn, handshake: fn, turn: fn, decode: fn, resolve: fn };
const mode = (over: Record<string, unknown> = {}) => ({
  name: 'live',
  driver: 'live',
  summary: 'one process',
  capabilities: { ...NO_CAPABILITIES },
  live: { transport: 'stdio', codec, waitForSession: false },
  ...over,
});
const fieldsOf = (adapter: unknown) => findAdapterIssues(adapter).map(({ field }) => field);

describe('findAdapterIssues', () => {
  it('finds no issues in a complete adapter', () => {
    expect(findAdapterIssues(good())).toEqual([]);
    expect(
      findAdapterIssues({ ...good(), modes: [mode(), mode({ name: 'oneshot', driver: 'oneshot', live: undefined })] }),
    ).toEqual([]);
  });

  it('lists every missing member of an empty adapter at once', () => {
    expect(fieldsOf({})).toEqual(expect.arrayContaining(Object.keys(good())));
  });

  it.each(Object.keys(good()))('requires %s', (field) => {
    const without: Record<string, unknown> = { ...good(), [field]: undefined };
    expect(fieldsOf(without)).toEqual([field]);
    expect(findAdapterIssues({ ...without, [field]: 7 })).toHaveLength(1);
  });

  it.each(Object.keys(NO_CAPABILITIES))('requires capabilities.%s', (name) => {
    const capabilities = { ...NO_CAPABILITIES, [name]: undefined };
    expect(fieldsOf({ ...good(), capabilities })).toEqual([`capabilities.${name}`]);
    expect(fieldsOf({ ...good(), capabilities: { ...NO_CAPABILITIES, [name]: 'nonsense' } })).toEqual([
      `capabilities.${name}`,
    ]);
  });

  it('rejects unknown values', () => {
    const capabilities = {
      ...NO_CAPABILITIES,
      approvalModes: ['always'],
      thinkingEfforts: ['ultra'],
      systemPrompt: { inject: 'native' },
    };
    expect(fieldsOf({ ...good(), capabilities })).toEqual([
      'capabilities.thinkingEfforts',
      'capabilities.approvalModes',
      'capabilities.systemPrompt',
    ]);
  });

  it('requires complete modes with unique names, and a codec unless one-shot', () => {
    const modes = [mode(), mode({ live: undefined }), mode({ name: '', driver: 'telepathy', summary: 1 }), 'mode'];
    expect(fieldsOf({ ...good(), modes })).toEqual([
      'modes[1].name',
      'modes[1].live',
      'modes[2].name',
      'modes[2].summary',
      'modes[2].driver',
      'modes[3]',
    ]);
    const half = mode({ driver: 'http', live: { transport: 'stdio', codec: { ...codec, decode: undefined } } });
    expect(fieldsOf({ ...good(), modes: [half] })).toEqual([
      'modes[0].live.transport',
      'modes[0].live.waitForSession',
      'modes[0].live.server',
      'modes[0].live.codec.decode',
    ]);
    expect(fieldsOf({ ...good(), modes: [] })).toEqual(['modes']);
  });

  it('requires the capabilities of the first mode on the adapter', () => {
    const modes = [mode({ capabilities: { ...NO_CAPABILITIES, canResume: true } })];
    expect(fieldsOf({ ...good(), modes })).toEqual(['capabilities']);
  });

  it('requires plugin methods if plugins are declared', () => {
    const capabilities = { ...NO_CAPABILITIES, supportsPlugins: true };
    expect(fieldsOf({ ...good(), capabilities, listPlugins: fn })).toEqual([
      'installPlugin',
      'uninstallPlugin',
      'searchPlugins',
    ]);
  });

  it.each(['ACME_*', 'PI_*', 'AWS_PROFILE', 'GITHUB_TOKEN', 'ProgramFiles(x86)', 'AZURE_OPENAI_*'])(
    'accepts %s in the allow list',
    (entry) => {
      expect(fieldsOf({ ...good(), envAllowList: [entry] })).toEqual([]);
    },
  );

  it.each(['*', 'A*', 'A_*', '_*', 'AWS*', 'AWS_*', 'GITHUB_*', 'GH_*', 'NPM_*', 'SSH_*', 'GOOGLE_*', 'A_*_B', 'A B'])(
    'rejects %s, which would match unrelated variables',
    (entry) => {
      const issues = findAdapterIssues({ ...good(), envAllowList: ['ACME_KEY', entry] });
      expect(issues).toMatchObject([{ field: 'envAllowList', problem: expect.stringContaining(`"${entry}"`) }]);
    },
  );

  it.each(['ACME_*', 'PATH', 'Path', 'HOME', 'XDG_CONFIG_HOME', 'ANTHROPIC_API_KEY', 'GITHUB_TOKEN', 'a b'])(
    'rejects %s as a host signal, since all children need it',
    (entry) => {
      const issues = findAdapterIssues({ ...good(), hostEnvSignals: ['ACME_SESSION', entry] });
      expect(issues).toMatchObject([{ field: 'hostEnvSignals', problem: expect.stringContaining(`"${entry}"`) }]);
    },
  );

  it.each(['a', 'codex', 'my-agent', 'My.Agent_2', '7up'])('accepts %s as an agent name', (agent) => {
    expect(fieldsOf({ ...good(), agent })).toEqual([]);
  });

  it.each([
    ...['', ' ', 'a b', 'a/b', 'a\\b', '..', 'a..b', '.a', '-a', '--agent', 'a:b', 'a\n', 'a\u0000', '\u001b[2J', 'ä'],
    ...['__proto__', 'constructor', 'toString', 'x'.repeat(65)],
  ])('rejects %j as an agent name', (agent) => {
    expect(fieldsOf({ ...good(), agent })).toEqual(['agent']);
  });

  it('rejects invalid optional members', () => {
    const wrong = {
      ...good(),
      minVersion: 'new',
      envAllowList: ['ACME_*', '*'],
      hostEnvSignals: 'X',
      applyDefaults: {},
      onTimeout: 1,
      defaultModelId: 'other',
      models: [{ id: 'm' }, { id: 'm' }, {}],
      installMethods: [{ type: 'npm' }],
    };
    expect(fieldsOf(wrong)).toEqual([
      'applyDefaults',
      'onTimeout',
      'envAllowList',
      'hostEnvSignals',
      'minVersion',
      'models[1].id',
      'models[2].id',
      'defaultModelId',
      'installMethods[0]',
    ]);
  });

  it('reports a throwing getter as an issue of its field', () => {
    const throwing = Object.defineProperty(good(), 'capabilities', {
      get() {
        throw new Error('not ready');
      },
    });
    expect(findAdapterIssues(throwing)).toEqual([{ field: 'capabilities', problem: 'not ready' }]);
  });
});

describe('assertAdapter', () => {
  it('throws one error that lists the adapter and all issues', () => {
    const attempt = () => assertAdapter({ ...good(), parseEvent: 1, sessionDir: 2 });
    expect(attempt).toThrow(ValidationError);
    expect(attempt).toThrow(/"acme".*parseEvent.*sessionDir/);
  });
});
