import { globSync } from 'node:fs';
import { expandPath, type ResolvedRunOptions } from '@agent-mux/core';
import { GEMINI_HOME } from './home.ts';

const MINUTE_MS = 60_000;

/**
 * A session's file is named by the minute of its start and the first eight letters of its id. `session/load` of 0.61.0
 * begins a file of that name before it looks for the session: within the same minute it writes over the conversation and
 * then does not find it. So a load waits until the minute is over.
 */
export async function waitOutSameMinute(
  options: ResolvedRunOptions,
  env: NodeJS.ProcessEnv,
  now = Date.now,
): Promise<void> {
  if (options.mode !== 'acp' || options.sessionId === undefined) return;
  const started = now();
  const minute = new Date(started).toISOString().slice(0, 16).replace(':', '-');
  const name = `session-${minute}-${options.sessionId.slice(0, 8)}.jsonl`;
  const taken = globSync(`*/chats/${name}`, { cwd: expandPath(`${GEMINI_HOME}/tmp`, env) }).length > 0;
  if (taken) await new Promise((resolve) => setTimeout(resolve, MINUTE_MS - (started % MINUTE_MS) + 100));
}
