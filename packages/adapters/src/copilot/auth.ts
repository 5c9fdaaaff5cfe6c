import type { AuthCheck, AuthSetupGuidance } from '@agent-mux/core';
import { record, records, word } from '../shared/json.ts';
import { COPILOT_HOME } from './home.ts';

export const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'COPILOT_GITHUB_TOKEN', method: 'github_token' },
  { env: 'GH_TOKEN', method: 'github_token' },
  { env: 'GITHUB_TOKEN', method: 'github_token' },
  { env: 'COPILOT_PROVIDER_BASE_URL', method: 'api_key' },
  {
    // The accounts; their tokens are in the system keychain.
    file: `${COPILOT_HOME}/config.json`,
    key: 'loggedInUsers',
    method: 'oauth_device',
    identity: (content) => word(records(record(content).loggedInUsers)[0]?.login),
  },
  { unseen: 'the login may be that of `gh`' },
];

export const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [
    'Run `copilot login` with a GitHub account that has Copilot; it also uses a login of `gh`.',
    'Or set COPILOT_GITHUB_TOKEN.',
  ],
  methods: [
    { type: 'oauth_device', name: 'GitHub account', command: 'copilot login' },
    { type: 'github_token', name: 'GitHub token', envVars: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'] },
    {
      type: 'api_key',
      name: 'Own provider',
      envVars: ['COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_API_KEY', 'COPILOT_MODEL'],
    },
  ],
  docsUrl: 'https://docs.github.com/copilot/how-tos/copilot-cli',
};
