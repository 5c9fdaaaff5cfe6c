import { type AuthFile, type AuthState, checkAuth } from '@agent-mux/core';

/** Some CLIs keep who is logged in apart from the tokens, and keep it when those are gone. */
export async function withAccount(state: AuthState, account: AuthFile, env: NodeJS.ProcessEnv): Promise<AuthState> {
  if (state.method !== 'oauth' || state.identity !== undefined) return state;
  const { identity } = await checkAuth([account], env);
  return identity === undefined ? state : { ...state, identity };
}
