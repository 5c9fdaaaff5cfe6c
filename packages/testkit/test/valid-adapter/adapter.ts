import {
  type AgentCapabilities,
  type AgentMode,
  BaseAgentAdapter,
  type EventBody,
  NO_CAPABILITIES,
  type ParseContext,
  type PluginSpec,
  type ResolvedRunOptions,
  type SessionStore,
  type SpawnArgs,
  sessionFiles,
  type ToolKindTable,
} from '@agent-mux/core';
import { codec, httpCodec } from './codec.ts';
import { decodeLine, flagsOf } from './protocol.ts';

const ONESHOT: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsModelSelection: true,
  supportsMultiTurn: true,
  supportsAllowedTools: true,
  supportsDeniedTools: true,
  supportsAddDirs: true,
  supportsMaxTurns: true,
  supportsMCP: true,
  supportsFileAttachments: true,
  supportsImageInput: true,
  supportsThinking: true,
  supportsPlugins: true,
  thinkingEfforts: ['low', 'high'],
  systemPrompt: { append: 'native' },
  canResume: true,
  canFork: true,
  canRunWithoutSession: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  approvalModes: ['deny', 'yolo'],
};
const LIVE: AgentCapabilities = {
  ...ONESHOT,
  supportsInterrupt: true,
  supportsSteer: true,
  supportsModelSwitch: true,
  approvalModes: ['prompt', 'deny', 'yolo'],
};
const HTTP: AgentCapabilities = { ...LIVE, supportsSteer: false };

export const MODES: Readonly<Record<'oneshot' | 'live' | 'http', AgentMode>> = {
  oneshot: { name: 'oneshot', driver: 'oneshot', summary: 'a process per turn', capabilities: ONESHOT },
  live: {
    name: 'live',
    driver: 'live',
    summary: 'one process',
    capabilities: LIVE,
    live: {
      transport: 'stdio',
      codec,
      waitForSession: false,
      share: { key: shareKey, channelOf: () => 'one', route: () => undefined },
    },
  },
  http: {
    name: 'http',
    driver: 'http',
    summary: 'a server',
    capabilities: HTTP,
    live: {
      transport: 'http',
      codec: httpCodec,
      waitForSession: false,
      server: {
        readUrl: (line) => /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1],
        shareKey,
        headers: (_options, password) => ({ authorization: `Bearer ${password}` }),
        eventsPath: () => '/events',
        healthPath: '/health',
      },
    },
  },
};

export const STORE: SessionStore = sessionFiles({
  agent: 'sound',
  root: '~/.sound/sessions',
  accepts: (path) => path.endsWith('.json'),
  parse: (text) => (text.startsWith('{"sound":"') ? { sessionId: text.slice(10, 20), messages: [] } : null),
});

export const PLUGINS: PluginSpec = {
  formats: ['npm-package'],
  list: {
    args: ['plugins'],
    parse({ stdout }) {
      if (!stdout.startsWith('plugins:')) throw new Error('not a list of plugins');
      return [];
    },
  },
  install: (pluginId) => ({ args: ['plugins', 'add', `--name=${pluginId}`] }),
  uninstall: (pluginId) => ({ args: ['plugins', 'remove', `--name=${pluginId}`] }),
};

/** Fulfills the whole contract. Mutants override parts of it. */
export class ValidAdapter extends BaseAgentAdapter {
  readonly agent: string = 'sound';
  readonly displayName = 'Sound';
  readonly cliCommand = process.execPath;
  override readonly envAllowList: readonly string[] = ['SOUND_*'];
  override readonly hostEnvSignals: readonly string[] = ['SOUND_RUN_ID'];
  override readonly modes: readonly AgentMode[] = Object.values(MODES);
  override readonly toolKinds: ToolKindTable = { bash: 'execute' };
  override readonly sessionStore: SessionStore = STORE;
  override readonly plugins: PluginSpec = PLUGINS;
  override readonly configSchema = {
    agent: 'sound',
    fields: [{ name: 'model', type: 'string' as const, description: 'the model' }],
    configFilePaths: ['~/.sound.json'],
    projectConfigFilePaths: [],
  };
  protected override readonly authChecks = [{ env: 'SOUND_API_KEY', method: 'api_key' as const }];
  protected override readonly authGuidance = {
    steps: ['set SOUND_API_KEY'],
    methods: [{ type: 'api_key' as const, name: 'a key', envVars: ['SOUND_API_KEY'] }],
  };

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const { prompt, cwd, mcpServers, scratchDir } = options;
    const mcp = mcpServers === undefined ? [] : [`--mcp=${scratchDir}/mcp.json`];
    return {
      command: process.execPath,
      args: ['-e', SAYS, '--', ...flagsOf(options), ...mcp],
      env: {},
      cwd,
      usePty: false,
      ...(mcpServers === undefined ? {} : { files: { 'mcp.json': JSON.stringify(mcpServers) } }),
      ...(options.mode === 'oneshot' ? { stdin: prompt } : {}),
    };
  }

  parseEvent(line: string, { source }: ParseContext): EventBody[] | null {
    return source === 'stdout' ? decodeLine(line) : null;
  }
}

const SAYS = `
  const given = process.argv.map((arg) => /^--sessionId="(.*)"$/.exec(arg)).find(Boolean);
  console.log(JSON.stringify({ session: given ? given[1] : 'sound-' + process.pid }));
  console.log('{"word":"hello"}');`;

function shareKey(options: ResolvedRunOptions): string {
  return JSON.stringify([flagsOf(options), options.env, options.mcpServers]);
}
