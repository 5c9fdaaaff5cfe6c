import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { LOGIN } from './errors.ts';
import { endContinue, parseContinueLine } from './events.ts';
import { CONTINUE_HOME } from './home.ts';
import { launchContinue } from './launch.ts';
import { SESSION_STORE } from './sessions.ts';

/**
 * 1.5.47 prints only the final text of the model: no session, tool calls, thinking or tokens. Its tool calls are
 * invisible, so they are not declared. It ignores SIGINT: a turn can only be aborted.
 */
const CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  systemPrompt: { append: 'native' },
  approvalModes: ['deny', 'yolo'],
};

/** The CLI of Continue. */
export const continueAdapter = defineAdapter({
  agent: 'continue',
  displayName: 'Continue CLI',
  cliCommand: 'cn',
  verifiedVersions: VERIFIED_RELEASES.continue,
  minVersion: VERIFIED_RELEASES.continue[0],
  modes: [
    {
      name: 'print',
      driver: 'oneshot',
      promptDelivery: 'file',
      summary: 'a process per turn; returns only the final text, no approvals',
      capabilities: CAPABILITIES,
    },
  ],
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g @continuedev/cli', notes: 'needs Node 20 or newer' },
  ],
  // Not ANTHROPIC_API_KEY: where it is set, 1.5.47 writes it into the user's config.yaml.
  envAllowList: ['CONTINUE_*'],
  // Accounts no longer exist: 1.5.47 has neither a login nor its own key, only keys of the models.
  authChecks: [{ file: `${CONTINUE_HOME}/config.yaml`, format: 'yaml', key: 'models', method: 'config_file' }],
  authGuidance: {
    steps: [LOGIN],
    methods: [{ type: 'config_file', name: 'Custom models in config.yaml' }],
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
