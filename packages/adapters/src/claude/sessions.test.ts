import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClaudeAdapter } from './index.ts';

const adapter = new ClaudeAdapter();
const recorded = fileURLToPath(new URL('./recordings/session-file.jsonl', import.meta.url));
const ID = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'claude-home-'));
  vi.stubEnv('CLAUDE_CONFIG_DIR', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

describe('stored sessions of Claude Code', () => {
  it('are looked for in a folder named after the working directory', () => {
    expect(adapter.sessionDir('/home/me/my.project')).toBe(join(home, 'projects', '-home-me-my-project'));
  });

  it('are listed for one folder or for all, transcripts only', async () => {
    const folder = adapter.sessionDir('/workspace');
    mkdirSync(join(folder, 'memory'), { recursive: true });
    writeFileSync(join(folder, 'memory', 'x.md'), '');
    writeFileSync(join(folder, 'notes.txt'), '');
    const file = join(folder, `${ID}.jsonl`);
    copyFileSync(recorded, file);
    expect(await adapter.listSessionFiles('/workspace')).toEqual([file]);
    expect(await adapter.listSessionFiles()).toEqual([file]);
    expect(await adapter.listSessionFiles('/elsewhere')).toEqual([]);
  });

  it('are read with their messages, tokens and price', async () => {
    const file = join(home, `${ID}.jsonl`);
    copyFileSync(recorded, file);
    const session = await adapter.parseSessionFile(file);
    expect(session).toMatchObject({
      agent: 'claude',
      sessionId: ID,
      cwd: '/workspace',
      model: 'claude-opus-5-5',
      createdAt: Date.parse('2026-11-15T18:32:47.143Z'),
      costUsd: 0.011859999999999999,
    });
    expect(session.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'first: remember BLUE'],
      ['assistant', 'PONG: first: remember BLUE'],
      ['user', 'second turn'],
      ['assistant', 'PONG: second turn'],
    ]);
  });

  it('are an answer, not a crash, when the file is not there', async () => {
    await expect(adapter.parseSessionFile(join(home, 'none.jsonl'))).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});
