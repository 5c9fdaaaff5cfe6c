import type { AuthCheck, AuthFile, AuthSetupGuidance } from '@agent-mux/core';
import { endOfLogin } from '../shared/account.ts';
import { dotenvKeys } from '../shared/dotenv-keys.ts';
import { record, word } from '../shared/json.ts';
import { GEMINI_HOME } from './home.ts';

/** The Google account, stored apart from the tokens. */
export const ACCOUNT: AuthFile = {
  file: `${GEMINI_HOME}/google_accounts.json`,
  key: 'active',
  method: 'oauth',
  identity: (content) => word(record(content).active),
};

export const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'GEMINI_API_KEY', method: 'api_key' },
  { env: 'GOOGLE_API_KEY', method: 'api_key' },
  ...dotenvKeys(`${GEMINI_HOME}/.env`, ['GEMINI_API_KEY', 'GOOGLE_API_KEY']),
  { file: `${GEMINI_HOME}/oauth_creds.json`, method: 'oauth', expiresAt: endOfLogin },
  { env: 'GOOGLE_APPLICATION_CREDENTIALS', method: 'config_file' },
];

export const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [
    'Run `gemini` once and log in, or set GEMINI_API_KEY.',
    'With a custom base URL, set security.auth.selectedType to gemini-api-key: environment variables alone are refused.',
  ],
  methods: [
    { type: 'browser_login', name: 'Google account', command: 'gemini' },
    { type: 'api_key', name: 'Gemini API key', envVars: ['GEMINI_API_KEY'] },
    { type: 'api_key', name: 'Vertex AI key', envVars: ['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'] },
  ],
  docsUrl: 'https://geminicli.com/docs/get-started/authentication',
};
