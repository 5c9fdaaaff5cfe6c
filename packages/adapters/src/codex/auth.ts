import type { AuthCheck, AuthSetupGuidance } from '@agent-mux/core';
import { record, word } from '../shared/json.ts';
import { jwtClaims } from '../shared/jwt.ts';
import { CODEX_HOME } from './home.ts';

const LOGIN_FILE = `${CODEX_HOME}/auth.json`;

/**
 * Seen with 0.166: OPENAI_API_KEY alone is not used, and CODEX_API_KEY only by `exec`. The tokens of an account are
 * renewed automatically, so their expiry does not matter.
 */
export const AUTH_CHECKS: readonly AuthCheck[] = [
  {
    file: LOGIN_FILE,
    key: 'tokens',
    method: 'browser_login',
    identity: (content) => word(jwtClaims(record(record(content).tokens).id_token).email),
  },
  { file: LOGIN_FILE, key: 'OPENAI_API_KEY', method: 'api_key' },
  { env: 'CODEX_API_KEY', method: 'api_key' },
  // The login is then that of another provider: usually an environment variable that it names, or none.
  { file: `${CODEX_HOME}/config.toml`, format: 'toml', key: 'model_provider', method: 'config_file' },
];

export const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [
    'Run `codex login` and sign in with a ChatGPT account in the browser; without a browser run `codex login --device-auth`.',
    'Or give it a key of the OpenAI platform: `printenv OPENAI_API_KEY | codex login --with-api-key`.',
  ],
  methods: [
    { type: 'browser_login', name: 'ChatGPT account', command: 'codex login' },
    { type: 'oauth_device', name: 'ChatGPT account, on another machine', command: 'codex login --device-auth' },
    { type: 'api_key', name: 'API key', command: 'codex login --with-api-key' },
    { type: 'api_key', name: 'API key for `exec` only', envVars: ['CODEX_API_KEY'] },
    { type: 'config_file', name: 'Custom provider in config.toml' },
  ],
  docsUrl: 'https://developers.openai.com/codex/auth',
};
