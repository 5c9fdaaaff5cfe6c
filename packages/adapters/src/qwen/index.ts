import { join } from 'node:path';
import {
  type AgentConfigSchema,
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  expandPath,
  type InstallMethod,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { LIVE, ONESHOT } from './capabilities.ts';
import { LOGIN } from './errors.ts';
import { parseQwenEnd, parseQwenLine } from './events.ts';
import { launchQwen } from './launch.ts';
import { QWEN_LIVE } from './live.ts';

const CONFIG_HOME = '{QWEN_HOME:-~/.qwen}';

const MODES: readonly AgentMode[] = [
  {
    name: 'live',
    driver: 'live',
    summary: 'one process, many turns: stream-json in and out with the control protocol',
    capabilities: LIVE,
    live: QWEN_LIVE,
  },
  {
    name: 'oneshot',
    driver: 'oneshot',
    summary: 'a process per turn, the prompt on stdin',
    capabilities: ONESHOT,
    turnEndIsFinal: false,
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @qwen-code/qwen-code', notes: 'needs Node 22 or newer' },
  { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install qwen-code' },
];

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'OPENAI_API_KEY', method: 'api_key' },
  { env: 'DASHSCOPE_API_KEY', method: 'api_key' },
  { env: 'ANTHROPIC_API_KEY', method: 'api_key' },
  { env: 'GEMINI_API_KEY', method: 'api_key' },
  { file: `${CONFIG_HOME}/oauth_creds.json`, key: 'access_token', method: 'oauth' },
  { file: `${CONFIG_HOME}/settings.json`, key: 'security.auth.apiKey', method: 'config_file' },
  { file: `${CONFIG_HOME}/settings.json`, key: 'modelProviders', method: 'config_file' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [LOGIN],
  methods: [{ type: 'api_key', name: 'API key', envVars: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'] }],
  docsUrl: 'https://qwenlm.github.io/qwen-code-docs',
};

/** Keys, base URLs, homes and switches of the providers that it can be pointed at. */
const ENV_ALLOW_LIST: readonly string[] = [
  'QWEN_*',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'OPENAI_MODEL',
  'DASHSCOPE_*',
  'BAILIAN_*',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_MODEL',
  'GEMINI_API_KEY',
  'GEMINI_MODEL',
  'GOOGLE_API_KEY',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_GENAI_USE_VERTEXAI',
];

/** What a tool shell of 0.24.4 has. */
const HOST_ENV_SIGNALS: readonly string[] = [
  'QWEN_CODE',
  'QWEN_CODE_SESSION_ID',
  'QWEN_CODE_MODEL',
  'QWEN_CODE_PROMPT_ID',
  'QWEN_CODE_CLI',
  'QWEN_CODE_PROJECT_DIR',
  'QWEN_CODE_AGENT_ID',
  'QWEN_CODE_LAUNCHER_PID',
  'QWEN_CODE_MANAGED_NPM_PIN',
];

/** Alibaba's Qwen Code. */
export class QwenAdapter extends BaseAgentAdapter {
  readonly agent: string = 'qwen';
  readonly displayName: string = 'Qwen Code';
  readonly cliCommand: string = 'qwen';
  override readonly provenVersions = ['0.24.4'];
  override readonly modes = MODES;
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ENV_ALLOW_LIST;
  override readonly hostEnvSignals = HOST_ENV_SIGNALS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  override get configSchema(): AgentConfigSchema {
    return {
      agent: this.agent,
      fields: [
        { name: 'model', type: 'string', description: 'Default model', nativePath: 'model.name' },
        {
          name: 'authType',
          type: 'string',
          description: 'Kind of provider: openai, anthropic, gemini, ...',
          nativePath: 'security.auth.selectedType',
        },
        { name: 'mcpServers', type: 'object', description: 'MCP servers of every session' },
        {
          name: 'maxRetries',
          type: 'number',
          description: 'Rounds of retries after a rate limit',
          nativePath: 'model.generationConfig.maxRetries',
        },
      ],
      configFilePaths: [`${CONFIG_HOME}/settings.json`],
      projectConfigFilePaths: ['.qwen/settings.json'],
      format: 'jsonc',
    };
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchQwen(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return parseQwenLine(line, context);
  }

  parseEnd(_context: ParseContext, exit: { code: number | null }): EventBody[] {
    return parseQwenEnd(exit.code);
  }

  /** One folder per working directory: its path with everything but letters and digits turned into `-`. */
  override sessionDir(cwd?: string): string {
    const runtime = process.env.QWEN_RUNTIME_DIR;
    const root = join(expandPath(runtime || CONFIG_HOME), 'projects');
    return cwd === undefined ? root : join(root, cwd.replace(/[^a-zA-Z0-9]/g, '-'), 'chats');
  }
}
