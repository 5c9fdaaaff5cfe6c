import { constants } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expandPath, openRegularFile, type ResolvedRunOptions } from '@agent-mux/core';
import { parseRecord } from '../shared/json.ts';
import { GEMINI_HOME } from './home.ts';

/** The header is the first line of a session and shorter than this. */
const HEADER_BYTES = 4096;

/**
 * A session's file is named by the minute of its start and the first eight letters of its id. `session/load` of 0.61.0
 * begins a file of the present minute and these letters before it looks for the session. Within the minute of the start
 * that empties the conversation; later it leaves an empty session beside it, and the next start of the CLI in the project
 * clears that away together with every file of the same letters. Sessions are found by the id in their header: under a
 * name with the last eight letters the conversation is out of reach of both.
 */
export async function spareSession(options: ResolvedRunOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const { mode, sessionId } = options;
  if (mode !== 'acp' || sessionId === undefined) return;
  const endangered = `-${sessionId.slice(0, 8)}.jsonl`;
  const spared = `-${sessionId.slice(-8)}.jsonl`;
  const projects = expandPath(`${GEMINI_HOME}/tmp`, env);
  for (const project of await namesIn(projects)) {
    const chats = join(projects, project, 'chats');
    const names = await namesIn(chats);
    // What still has the first letters then was begun by a load.
    if (names.some((name) => name.endsWith(spared))) continue;
    const first = names.filter((name) => name.startsWith('session-') && name.endsWith(endangered)).sort()[0];
    if (first === undefined || (await idOf(join(chats, first))) !== sessionId) continue;
    await rename(join(chats, first), join(chats, first.replace(endangered, spared)));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function idOf(path: string): Promise<unknown> {
  const file = await openRegularFile(path, constants.O_RDONLY);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const [header = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1);
    return parseRecord(header)?.sessionId;
  } finally {
    await file.close();
  }
}
