import {
  type AgentConfigSchema,
  type AgentMode,
  type AuthCheck,
  BaseAgentAdapter,
  type EventBody,
  expandPath,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { RUN, SERVE } from './capabilities.ts';
import { familyCodec } from './codec.ts';
import type { FamilyDialect } from './dialect.ts';
import { launchRun, launchServer } from './launch.ts';
import { parseRunLine } from './run-events.ts';
import { ownServer } from './server.ts';

/** Providers that both CLIs know by an environment variable; there are many more, each with its own. */
export const PROVIDER_KEYS: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'CEREBRAS_API_KEY',
  'AZURE_API_KEY',
  'AZURE_RESOURCE_NAME',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_PROFILE',
  'AWS_REGION',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_CLOUD_PROJECT',
  'GITHUB_TOKEN',
];

export interface FamilyFiles {
  /** Below the folder of the user's configuration. */
  config: readonly string[];
  project: readonly string[];
  /** Name of the folders below the XDG homes. */
  folder: string;
}

/** opencode and what was made from it: `serve` with one server for many runs, and `run` with a process per turn. */
export abstract class FamilyAdapter extends BaseAgentAdapter {
  readonly agent: string;
  readonly displayName: string;
  readonly cliCommand: string;
  override readonly modes: readonly AgentMode[];
  protected abstract readonly files: FamilyFiles;
  protected readonly dialect: FamilyDialect;

  constructor(dialect: FamilyDialect) {
    super();
    this.dialect = dialect;
    this.agent = dialect.agent;
    this.displayName = dialect.displayName;
    this.cliCommand = dialect.command;
    this.modes = this.#modes();
  }

  #modes(): readonly AgentMode[] {
    return [
      {
        name: 'serve',
        driver: 'http',
        summary: 'a server on loopback that runs share, with a stream of events',
        capabilities: SERVE,
        live: {
          transport: 'http',
          codec: familyCodec(this.dialect),
          sessionFirst: true,
          server: ownServer(this.dialect),
        },
      },
      {
        name: 'run',
        driver: 'oneshot',
        summary: 'a process per turn, the prompt on stdin, whole messages out',
        capabilities: RUN,
      },
    ];
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return options.mode === 'run' ? launchRun(options, this.dialect) : launchServer(options, this.dialect);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return parseRunLine(line, context);
  }

  override get configSchema(): AgentConfigSchema {
    return {
      agent: this.agent,
      fields: [
        { name: 'model', type: 'string', description: 'Default model, as provider/model' },
        { name: 'small_model', type: 'string', description: 'Model for titles and other errands' },
        { name: 'default_agent', type: 'string', description: 'Agent that sessions start with' },
        { name: 'permission', type: 'object', description: 'What is allowed, asked for and denied' },
        { name: 'mcp', type: 'object', description: 'MCP servers', secret: true },
        { name: 'provider', type: 'object', description: 'Providers with their models and keys', secret: true },
        { name: 'instructions', type: 'array', description: 'Files that are added to the system prompt' },
      ],
      configFilePaths: this.files.config.map((name) => `{XDG_CONFIG_HOME:-~/.config}/${this.files.folder}/${name}`),
      projectConfigFilePaths: this.files.project,
      format: 'jsonc',
    };
  }

  /** One SQLite database for all folders. */
  override sessionDir(_cwd?: string): string {
    return expandPath(`{XDG_DATA_HOME:-~/.local/share}/${this.files.folder}`);
  }

  override async listSessionFiles(cwd?: string): Promise<string[]> {
    return (await super.listSessionFiles(cwd)).filter((path) => path.endsWith('.db'));
  }
}

export function familyAuthChecks(folder: string, own: readonly string[]): readonly AuthCheck[] {
  return [
    { file: `{XDG_DATA_HOME:-~/.local/share}/${folder}/auth.json`, method: 'config_file' },
    ...[...own, ...PROVIDER_KEYS.filter((name) => name.endsWith('_KEY'))].map(
      (env): AuthCheck => ({ env, method: 'api_key' }),
    ),
    { unseen: 'a provider may be configured with a key of its own, or need none' },
  ];
}
