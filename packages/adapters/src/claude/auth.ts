import type { AuthCheck, AuthFile, AuthSetupGuidance } from '@agent-mux/core';
import { number, record, word } from '../shared/json.ts';
import { CONFIG_HOME, STATE_FILE } from './home.ts';

/** The account: stored apart from the tokens, and still there when they are gone. */
export const ACCOUNT: AuthFile = { file: STATE_FILE, key: 'oauthAccount', method: 'oauth', identity: emailIn };

export const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'ANTHROPIC_API_KEY', method: 'api_key' },
  { env: 'ANTHROPIC_AUTH_TOKEN', method: 'api_key' },
  { env: 'CLAUDE_CODE_OAUTH_TOKEN', method: 'oauth' },
  // An expired login keeps its entry, with empty tokens.
  {
    file: `${CONFIG_HOME}/.credentials.json`,
    key: 'claudeAiOauth.accessToken',
    method: 'oauth',
    expiresAt: endOfLogin,
  },
  { file: STATE_FILE, key: 'primaryApiKey', method: 'api_key' },
  { file: `${CONFIG_HOME}/settings.json`, key: 'apiKeyHelper', method: 'config_file' },
  // On macOS the tokens are in the keychain; the account is the visible sign.
  { ...ACCOUNT, platforms: ['darwin'] },
  { unseen: 'the login may be in the keychain', platforms: ['darwin'] },
];

export const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [
    'Run `claude auth login` and follow the browser, or set ANTHROPIC_API_KEY.',
    'Without a browser: run `claude setup-token` on another machine and set CLAUDE_CODE_OAUTH_TOKEN here.',
  ],
  methods: [
    { type: 'browser_login', name: 'Claude account', command: 'claude auth login' },
    { type: 'api_key', name: 'API key', envVars: ['ANTHROPIC_API_KEY'] },
    { type: 'oauth', name: 'Long-lived token', envVars: ['CLAUDE_CODE_OAUTH_TOKEN'], command: 'claude setup-token' },
  ],
  docsUrl: 'https://code.claude.com/docs',
};

function emailIn(content: unknown): string | undefined {
  return word(record(record(content).oauthAccount).emailAddress);
}

/** The access token is renewed as long as the refresh token lasts. Epoch milliseconds, as 2.1.325 writes them. */
function endOfLogin(content: unknown): number | undefined {
  const { refreshToken, refreshTokenExpiresAt, expiresAt } = record(record(content).claudeAiOauth);
  return number(word(refreshToken) ? refreshTokenExpiresAt : expiresAt);
}
