import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostFiles } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spareSession } from './spare-session.ts';

const ID = '29b5d3ee-3c99-4a14-8fa0-adf3836c5cd6';
const OWN = 'session-2026-11-16T01-50-29b5d3ee.jsonl';
const LATER = 'session-2026-11-16T01-52-29b5d3ee.jsonl';
const SPARED = 'session-2026-11-16T01-50-836c5cd6.jsonl';

describe('session to be loaded over ACP', () => {
  let home: string;
  let chats: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'gemini-sessions-'));
    chats = join(home, '.gemini', 'tmp', 'work', 'chats');
    mkdirSync(chats, { recursive: true });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const put = (name: string, words: string, sessionId = ID) =>
    writeFileSync(join(chats, name), `${JSON.stringify({ sessionId })}\n${words}\n`);
  const load = (mode = 'acp', sessionId?: string) =>
    spareSession(createResolvedOptions({ mode, sessionId }), { GEMINI_CLI_HOME: home }, hostFiles);

  it('moves to a name that the load does not overwrite', async () => {
    put(OWN, 'the conversation');
    await load('acp', ID);
    expect(readdirSync(chats)).toEqual([SPARED]);
    expect(readFileSync(join(chats, SPARED), 'utf8')).toContain('the conversation');
  });

  it('is its first file, not one that an earlier load created', async () => {
    put(LATER, 'empty');
    put(OWN, 'the conversation');
    await load('acp', ID);
    expect(readdirSync(chats).sort()).toEqual([SPARED, LATER].sort());
    expect(readFileSync(join(chats, SPARED), 'utf8')).toContain('the conversation');
  });

  it('is left alone once it has moved', async () => {
    put(SPARED, 'the conversation');
    put(LATER, 'empty');
    await load('acp', ID);
    expect(readdirSync(chats).sort()).toEqual([SPARED, LATER].sort());
    expect(readFileSync(join(chats, SPARED), 'utf8')).toContain('the conversation');
  });

  it('is identified by its whole id', async () => {
    put(OWN, 'of another session', '29b5d3ee-0000-4000-8000-000000000000');
    await load('acp', ID);
    expect(readdirSync(chats)).toEqual([OWN]);
  });

  it('does not move for a new session, nor in the mode that resumes the same file', async () => {
    put(OWN, 'the conversation');
    await load('acp');
    await load('stream-json', ID);
    expect(readdirSync(chats)).toEqual([OWN]);
  });

  it('needs no session folder to exist', async () => {
    rmSync(join(home, '.gemini'), { recursive: true });
    await expect(load('acp', ID)).resolves.toBeUndefined();
  });
});
