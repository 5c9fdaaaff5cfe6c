import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { continueAdapter } from './index.ts';
import { parseSession, SESSION_STORE } from './sessions.ts';

const adapter = continueAdapter;
const ID = '3dff822e-bcb9-4e9d-a86d-d8ff6ac7cb3a';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'continue-home-'));
  vi.stubEnv('CONTINUE_GLOBAL_DIR', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

function recording(name: string): URL {
  return new URL(`./recordings/${name}.json`, import.meta.url);
}

function put(): string {
  mkdirSync(join(home, 'sessions'));
  const path = join(home, 'sessions', `${ID}.json`);
  copyFileSync(recording('session-file'), path);
  return path;
}

describe('stored sessions of Continue', () => {
  it('lists them for one folder or for all, without their index', async () => {
    const path = put();
    writeFileSync(join(home, 'sessions', 'sessions.json'), '[]');
    expect(await adapter.listSessionFiles()).toEqual([path]);
    expect(await adapter.listSessionFiles('/workspace')).toEqual([path]);
    expect(await adapter.listSessionFiles('/other')).toEqual([]);
  });

  it('reads calls, results and tokens, without an invented price', async () => {
    const session = await adapter.parseSessionFile(put());
    expect(session).toMatchObject({
      agent: 'continue',
      sessionId: ID,
      cwd: '/workspace',
      model: 'scripted-model',
      usage: { inputTokens: 2400, outputTokens: 68, cacheReadTokens: 2000, totalTokens: 2468 },
      messages: [
        { role: 'user', text: expect.stringMatching(/^first /) },
        {
          role: 'assistant',
          text: 'Calling a tool. ',
          toolCalls: [{ toolCallId: 'call_1', toolName: 'Bash', input: { command: 'echo hi' }, output: 'hi\n' }],
        },
        { role: 'assistant', text: 'TOOL RESULT: hi\n' },
      ],
    });
    expect([session.title, session.costUsd]).toEqual([undefined, undefined]);
    expect(session.messages[1]?.toolCalls?.[0]?.isError).toBeUndefined();
    expect(SESSION_STORE.remove).toBeUndefined();
  });

  it('reports a failed call', () => {
    const session = parseSession(readFileSync(recording('session-failed'), 'utf8'));
    expect(session?.messages[1]?.toolCalls).toMatchObject([
      { output: expect.stringMatching(/exit code 3/), isError: true },
    ]);
  });

  it('has the title that the user set', () => {
    const file = JSON.parse(readFileSync(recording('session-file'), 'utf8'));
    expect(parseSession(JSON.stringify({ ...file, title: 'Mine' }))?.title).toBe('Mine');
  });
});
