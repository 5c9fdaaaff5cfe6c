import {
  type AgentCapabilities,
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  expandPath,
  type InstallMethod,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { LOGIN } from './errors.ts';
import { endContinue, parseContinueLine } from './events.ts';
import { launchContinue } from './launch.ts';

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

const HOME = '{CONTINUE_GLOBAL_DIR:-~/.continue}';

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'CONTINUE_API_KEY', method: 'api_key' },
  { file: `${HOME}/auth.json`, method: 'oauth' },
  { file: `${HOME}/config.yaml`, method: 'config_file' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [LOGIN],
  methods: [
    { type: 'config_file', name: 'Own models' },
    { type: 'browser_login', name: 'Continue account', command: 'cn login' },
    { type: 'api_key', name: 'Continue API key', envVars: ['CONTINUE_API_KEY'] },
  ],
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
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchContinue(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    return parseContinueLine(line, context);
  }

  parseEnd(context: ParseContext, exit: { code: number | null }): EventBody[] {
    return endContinue(context, exit);
  }

  override sessionDir(): string {
    return expandPath(`${HOME}/sessions`);
  }
}
