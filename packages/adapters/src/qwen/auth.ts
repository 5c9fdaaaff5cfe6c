import type { AuthCheck, AuthSetupGuidance } from '@agent-mux/core';
import { endOfLogin } from '../shared/account.ts';
import { dotenvKeys } from '../shared/dotenv-keys.ts';
import { LOGIN } from './errors.ts';
import { CONFIG_HOME } from './home.ts';

const KEYS = ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'];

export const AUTH_CHECKS: readonly AuthCheck[] = [
  ...KEYS.map((env): AuthCheck => ({ env, method: 'api_key' })),
  ...dotenvKeys(`${CONFIG_HOME}/.env`, KEYS),
  { file: `${CONFIG_HOME}/oauth_creds.json`, key: 'access_token', method: 'oauth', expiresAt: endOfLogin },
  { file: `${CONFIG_HOME}/settings.json`, key: 'security.auth.apiKey', method: 'config_file' },
  { file: `${CONFIG_HOME}/settings.json`, key: 'modelProviders', method: 'config_file' },
];

export const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [LOGIN],
  methods: [
    { type: 'api_key', name: 'API key', envVars: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'] },
    { type: 'config_file', name: 'Provider chosen with /auth', command: 'qwen' },
  ],
  docsUrl: 'https://qwenlm.github.io/qwen-code-docs',
};
