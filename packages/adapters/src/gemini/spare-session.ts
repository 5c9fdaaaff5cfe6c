import { join } from 'node:path';
import { expandPath, type HostFiles, type ResolvedRunOptions } from '@agent-mux/core';
import { parseRecord } from '../shared/json.ts';
import { GEMINI_HOME } from './home.ts';

/**
 * A session's file is named after the minute of its start and the first eight characters of its id. `session/load` of
 * 0.61.0 creates a file for the current minute and these characters before it looks for the session. Within the minute
 * of the start that empties the conversation; later it leaves an empty session next to it, and the next start of the
 * CLI in the project deletes that together with every file of the same characters. Sessions are found by the id in
 * their header: under a name with the last eight characters the conversation is safe from both.
 */
export async function spareSession(
  options: ResolvedRunOptions,
  env: NodeJS.ProcessEnv,
  files: HostFiles,
): Promise<void> {
  const { mode, sessionId } = options;
  if (mode !== 'acp' || sessionId === undefined) return;
  const endangered = `-${sessionId.slice(0, 8)}.jsonl`;
  const spared = `-${sessionId.slice(-8)}.jsonl`;
  const projects = expandPath(`${GEMINI_HOME}/tmp`, env, options.cwd);
  for (const project of await files.list(projects)) {
    const chats = join(projects, project, 'chats');
    const names = await files.list(chats);
    // Any file that still has the first characters was created by a load.
    if (names.some((name) => name.endsWith(spared))) continue;
    const first = names.filter((name) => name.startsWith('session-') && name.endsWith(endangered)).sort()[0];
    if (first === undefined) continue;
    const header = parseRecord(await files.firstLine(join(chats, first)));
    if (header?.sessionId === sessionId) await files.rename(join(chats, first), first.replace(endangered, spared));
  }
}
