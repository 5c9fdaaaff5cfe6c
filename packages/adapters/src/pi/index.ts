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
import { ENV_ALLOW_LIST, PROVIDER_KEYS } from '../pi-family/index.ts';
import { JSON_MODE, RPC } from './capabilities.ts';
import { LOGIN } from './errors.ts';
import { parsePiLine } from './events.ts';
import { launchPi } from './launch.ts';
import { PI_LIVE } from './live.ts';

const CONFIG_HOME = '{PI_CODING_AGENT_DIR:-~/.pi/agent}';

const MODES: readonly AgentMode[] = [
  {
    name: 'rpc',
    driver: 'live',
    summary: 'one process, many turns: commands and events as lines of JSON, approvals through an extension',
    capabilities: RPC,
    live: PI_LIVE,
  },
  {
    name: 'json',
    driver: 'oneshot',
    summary: 'a process per turn, the prompt on stdin',
    capabilities: JSON_MODE,
    turnEndIsFinal: false,
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g --ignore-scripts @earendil-works/pi-coding-agent' },
  { type: 'curl', platforms: ['darwin', 'linux'], command: 'curl -fsSL https://pi.dev/install.sh | sh' },
];

/** What a tool shell of 0.87.1 has; `PI_PROVIDER` and its like would name the parent's model. */
const HOST_ENV_SIGNALS: readonly string[] = [
  'PI_CODING_AGENT',
  'PI_SESSION_ID',
  'PI_SESSION_FILE',
  'PI_PROVIDER',
  'PI_MODEL',
  'PI_REASONING_LEVEL',
];

/** The file of logins exists without one, and names them by provider; a key may also stand in the list of models. */
const AUTH_CHECKS: readonly AuthCheck[] = [
  ...PROVIDER_KEYS.map((env): AuthCheck => ({ env, method: 'api_key' })),
  ...['anthropic', 'openai', 'openai-codex', 'github-copilot', 'google', 'openrouter'].map(
    (key): AuthCheck => ({ file: `${CONFIG_HOME}/auth.json`, key, method: 'config_file' }),
  ),
  { file: `${CONFIG_HOME}/models.json`, key: 'providers', method: 'config_file' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [LOGIN],
  methods: [
    { type: 'oauth', name: 'Subscription', command: 'pi, then /login' },
    { type: 'api_key', name: 'API key', envVars: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] },
  ],
  docsUrl: 'https://pi.dev/docs',
};

/** pi, by Earendil. */
export class PiAdapter extends BaseAgentAdapter {
  readonly agent: string = 'pi';
  readonly displayName: string = 'pi';
  readonly cliCommand: string = 'pi';
  override readonly provenVersions = ['0.87.1'];
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
        { name: 'model', type: 'string', description: 'Default model', nativePath: 'defaultModel' },
        { name: 'provider', type: 'string', description: 'Default provider', nativePath: 'defaultProvider' },
        {
          name: 'thinkingLevel',
          type: 'string',
          description: 'Default thinking level',
          nativePath: 'defaultThinkingLevel',
        },
        { name: 'tools', type: 'array', description: 'Built-in tools at the start', nativePath: 'defaultTools' },
        {
          name: 'maxRetries',
          type: 'number',
          description: 'Retries of a failed request',
          nativePath: 'retry.maxRetries',
        },
      ],
      configFilePaths: [`${CONFIG_HOME}/settings.json`],
      projectConfigFilePaths: ['.pi/settings.json'],
      format: 'json',
    };
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchPi(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return parsePiLine(line, context);
  }

  /** One folder per working directory: its path between dashes, separators turned into `-`. A chosen folder holds all. */
  override sessionDir(cwd?: string): string {
    const chosen = process.env.PI_CODING_AGENT_SESSION_DIR;
    if (chosen) return expandPath(chosen);
    const root = expandPath(`${CONFIG_HOME}/sessions`);
    return cwd === undefined ? root : join(root, `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`);
  }
}
