import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
import { PROVEN_RELEASES } from '../proven-releases.ts';
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

/** The command line of Continue. */
export const continueAdapter = defineAdapter({
  agent: 'continue',
  displayName: 'Continue CLI',
  cliCommand: 'cn',
  provenVersions: PROVEN_RELEASES.continue,
  minVersion: PROVEN_RELEASES.continue[0],
  modes: [
    {
      name: 'print',
      driver: 'oneshot',
      promptDelivery: 'file',
      summary: 'a process per turn; only the final text comes back and nobody can be asked',
      capabilities: CAPABILITIES,
    },
  ],
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @continuedev/cli', notes: 'needs Node 20 or newer' },
  ],
  // Not ANTHROPIC_API_KEY: where it is set, 1.5.47 writes it into the user's config.yaml.
  envAllowList: ['CONTINUE_*'],
  // There is no account any more: 1.5.47 knows neither a login nor a key of its own, only those of the models.
  authChecks: [{ file: `${CONTINUE_HOME}/config.yaml`, format: 'yaml', key: 'models', method: 'config_file' }],
  authGuidance: {
    steps: [LOGIN],
    methods: [{ type: 'config_file', name: 'Models of your own in config.yaml' }],
    docsUrl: 'https://docs.continue.dev/reference',
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  // It reads `.claude/skills` of a project too.
  extensionFolders: {
    skills: { global: `${CONTINUE_HOME}/skills`, project: '.continue/skills' },
  },
  launch: launchContinue,
  parse: parseContinueLine,
  parseEnd: endContinue,
});
