import type { ResolvedRunOptions, SpawnArgs } from '@agent-mux/core';

/** All run options are sent within the protocol. */
export function launchKimi(options: ResolvedRunOptions): SpawnArgs {
  const env = { KIMI_CODE_NO_AUTO_UPDATE: '1' };
  return { command: 'kimi', args: ['acp'], env, cwd: options.cwd, usePty: false };
}
