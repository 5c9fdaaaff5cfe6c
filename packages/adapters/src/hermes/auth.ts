import { type AuthCheck, type AuthState, checkAuth, isRecord } from '@agent-mux/core';
import { CONFIG_FILE, HERMES_HOME } from './config.ts';

/** By provider. Not GITHUB_TOKEN, which many users have for other reasons. */
const PROVIDERS: Readonly<Record<string, string>> = {
  OpenRouter: 'OPENROUTER_API_KEY',
  Nous: 'NOUS_API_KEY',
  Anthropic: 'ANTHROPIC_API_KEY',
  OpenAI: 'OPENAI_API_KEY',
  Google: 'GOOGLE_API_KEY',
};
export const KEYS = Object.values(PROVIDERS);

/** Each login that Hermes may have, with its provider. */
const LOGINS: readonly { provider: string; check: AuthCheck }[] = [
  ...Object.entries(PROVIDERS).map(([provider, env]) => ({ provider, check: { env, method: 'api_key' } as const })),
  {
    provider: 'provider of the configuration',
    check: { file: CONFIG_FILE, format: 'yaml', key: 'model.api_key', method: 'config_file' },
  },
  ...Object.entries(PROVIDERS).map(([provider, key]) => ({
    provider,
    check: { file: `${HERMES_HOME}/.env`, format: 'dotenv', key, method: 'api_key' } as const,
  })),
  {
    provider: 'accounts',
    check: { file: `${HERMES_HOME}/auth.json`, key: 'providers', method: 'oauth', identity: accountsOf },
  },
];

export const AUTH_CHECKS: readonly AuthCheck[] = [
  ...LOGINS.map(({ check }) => check),
  { unseen: 'the login may be stored where only the CLI can read it: `hermes auth status`' },
];

/** `details` lists every provider with a login, and how each was found: Hermes uses several at once. */
export async function detectHermesAuth(env: NodeJS.ProcessEnv, checked: () => Promise<AuthState>): Promise<AuthState> {
  const { identity: _accounts, ...state } = await checked();
  if (state.status !== 'authenticated') return state;
  const found = await Promise.all(
    LOGINS.map(async ({ provider, check }) => {
      const { status, method, details, identity = provider } = await checkAuth([check], env);
      return status === 'authenticated' ? [`${identity}: ${method} (${details})`] : [];
    }),
  );
  return { ...state, details: found.flat().join(', ') || state.details };
}

function accountsOf(content: unknown): string | undefined {
  const providers = isRecord(content) ? content.providers : undefined;
  return isRecord(providers) ? Object.keys(providers).slice(0, MAX_ACCOUNTS).join(' and ') : undefined;
}

const MAX_ACCOUNTS = 10;
