import {
  type AgentConfigSchema,
  type AgentMode,
  BaseAgentAdapter,
  type EventBody,
  type InstallMethod,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { LIVE, ONESHOT } from './capabilities.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { parseQwenEnd, parseQwenLine } from './events.ts';
import { launchQwen } from './launch.ts';
import { QWEN_LIVE } from './live.ts';
import { MODEL_QUERY } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

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
    outputFormat: 'jsonl',
    summary: 'a process per turn, the prompt on stdin',
    capabilities: ONESHOT,
    turnEndIsFinal: false,
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @qwen-code/qwen-code', notes: 'needs Node 22 or newer' },
  { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install qwen-code' },
];

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
  override readonly toolKinds = TOOL_KINDS;
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ENV_ALLOW_LIST;
  override readonly hostEnvSignals = HOST_ENV_SIGNALS;
  override readonly sessionStore = SESSION_STORE;
  override readonly modelQuery = MODEL_QUERY;
  override readonly plugins = PLUGINS;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  override get configSchema(): AgentConfigSchema {
    return { agent: this.agent, ...CONFIG_SCHEMA };
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

  override sessionDir(cwd?: string): string {
    return sessionDir(cwd);
  }
}
