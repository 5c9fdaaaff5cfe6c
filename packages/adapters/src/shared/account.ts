import { type AuthFile, type AuthState, checkAuth } from '@agent-mux/core';
import { number, record, word } from './json.ts';

/** Some CLIs store the account apart from the tokens, and keep it when those are gone. */
export async function withAccount(state: AuthState, account: AuthFile, env: NodeJS.ProcessEnv): Promise<AuthState> {
  if (state.method !== 'oauth' || state.identity !== undefined) return state;
  const { identity } = await checkAuth([account], env);
  return identity === undefined ? state : { ...state, identity };
}

/** Expiry of a login with Google's fields, as Gemini CLI and its forks store it. A renewable login does not expire. */
export function endOfLogin(content: unknown): number | undefined {
  const { refresh_token, expiry_date } = record(content);
  return word(refresh_token) ? undefined : number(expiry_date);
}
