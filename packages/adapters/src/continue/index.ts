import {
  type AgentCapabilities,
  type AgentConfigSchema,
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  type ExtensionFolders,
  type InstallMethod,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { CONFIG_SCHEMA } from './config.ts';
import { LOGIN } from './errors.ts';
import { endContinue, parseContinueLine } from './events.ts';
import { CONTINUE_HOME } from './home.ts';
import { launchContinue } from './launch.ts';
import { SESSION_STORE } from './sessions.ts';

/**
 * Nothing but the last words of the model is printed by 1.5.47: no session, no tool call, no thought, no tokens. What its
 * tools do happens unseen, so they are not declared. SIGINT is ignored: a turn can only be aborted.
 */
const CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  systemPrompt: { append: 'native' },
  approvalModes: ['deny', 'yolo'],
};

const MODES: readonly AgentMode[] = [
  {
    name: 'print',
    driver: 'oneshot',
    summary: 'a process per turn; only the final text comes back and nobody can be asked',
    capabilities: CAPABILITIES,
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @continuedev/cli', notes: 'needs Node 20 or newer' },
];

/** There is no account any more: 1.5.47 knows neither a login nor a key of its own, only those of the models. */
const AUTH_CHECKS: readonly AuthCheck[] = [
  { file: `${CONTINUE_HOME}/config.yaml`, format: 'yaml', key: 'models', method: 'config_file' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [LOGIN],
  methods: [{ type: 'config_file', name: 'Models of your own in config.yaml' }],
  docsUrl: 'https://docs.continue.dev/reference',
};

/** It reads `.claude/skills` of a project too. */
const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CONTINUE_HOME}/skills`, project: '.continue/skills' },
};

/** The command line of Continue. */
export class ContinueAdapter extends BaseAgentAdapter {
  readonly agent: string = 'continue';
  readonly displayName: string = 'Continue CLI';
  readonly cliCommand: string = 'cn';
  override readonly provenVersions = ['1.5.47'];
  override readonly modes = MODES;
  override readonly installMethods = INSTALL;
  // Not ANTHROPIC_API_KEY: where it is set, 1.5.47 writes it into the user's config.yaml.
  override readonly envAllowList: readonly string[] = ['CONTINUE_*'];
  override readonly sessionStore = SESSION_STORE;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  override get configSchema(): AgentConfigSchema {
    return { ...CONFIG_SCHEMA, agent: this.agent };
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchContinue(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    return parseContinueLine(line, context);
  }

  parseEnd(context: ParseContext, exit: { code: number | null }): EventBody[] {
    return endContinue(context, exit);
  }
}
