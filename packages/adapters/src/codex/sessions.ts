import { expandPath } from '@agent-mux/core';
import { CODEX_HOME } from './home.ts';

/** `YYYY/MM/DD/rollout-<time>-<thread id>.jsonl` below it, of all working directories together. */
export function sessionDir(): string {
  return expandPath(`${CODEX_HOME}/sessions`);
}
