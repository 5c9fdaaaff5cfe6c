import { type AuthFile, type AuthState, checkAuth } from '@agent-mux/core';
import { number, record, word } from './json.ts';

/** Some CLIs keep who is logged in apart from the tokens, and keep it when those are gone. */
export async function withAccount(state: AuthState, account: AuthFile, env: NodeJS.ProcessEnv): Promise<AuthState> {
  if (state.method !== 'oauth' || state.identity !== undefined) return state;
  const { identity } = await checkAuth([account], env);
  return identity === undefined ? state : { ...state, identity };
}

/** Of a login with Google's fields, as Gemini CLI and its forks keep it. What can be renewed has no end that matters. */
export function endOfLogin(content: unknown): number | undefined {
  const { refresh_token, expiry_date } = record(content);
  return word(refresh_token) ? undefined : number(expiry_date);
}
