import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { droidAdapter } from './index.ts';
import { parseSession } from './sessions.ts';

const store = droidAdapter.sessionStore!;
const recorded = (name: string) => fileURLToPath(new URL(`./recordings/session-file${name}`, import.meta.url));
const ID = 'c4d47212-fbdb-4125-9470-b6fb0bf763c5';
let home: string;
let folder: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'droid-home-'));
  folder = join(home, '.factory', 'sessions', '-workspace');
  mkdirSync(folder, { recursive: true });
  copyFileSync(recorded('.jsonl'), join(folder, `${ID}.jsonl`));
  copyFileSync(recorded('.settings.json'), join(folder, `${ID}.settings.json`));
  copyFileSync(recorded('.settings.json'), join(folder, `${ID}.settings.json.bak`));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function only() {
  const [ref, ...others] = await store.find({ HOME: home });
  if (!ref || others.length > 0) throw new Error('one session was expected');
  return ref;
}

describe('stored sessions of Droid', () => {
  it('reads model and tokens from the settings next to them', async () => {
    expect(await store.read(await only())).toMatchObject({
      agent: 'droid',
      sessionId: ID,
      cwd: '/workspace',
      title: expect.stringContaining('[[tool Execute'),
      model: 'custom:scripted-0',
      parentSessionId: 'a22967e3-3cc1-4895-8131-253158b14c11',
      createdAt: Date.parse('2026-11-16T05:21:06.259Z'),
      updatedAt: Date.parse('2026-11-16T05:21:31.513Z'),
      usage: { inputTokens: 200, outputTokens: 34, cacheReadTokens: 1000, cacheCreationTokens: 0, totalTokens: 1234 },
    });
  });

  it('reads thinking, tool calls and their outcome', async () => {
    const { messages } = await store.read(await only());
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', expect.stringContaining('[[think hm]]')],
      ['assistant', 'Calling a tool. '],
      ['assistant', expect.stringContaining('TOOL RESULT: Error: Command failed')],
      ['user', 'after the fork'],
      ['assistant', 'PONG: after the fork'],
    ]);
    expect(messages[1]).toMatchObject({
      thinking: 'hm',
      model: 'custom:scripted-0',
      toolCalls: [{ toolCallId: 'call_1', toolName: 'Execute', isError: true, output: expect.stringContaining('hi') }],
    });
  });

  it('hides everything that the CLI sent to the model', async () => {
    expect(readFileSync(recorded('.jsonl'), 'utf8')).toContain('<system-reminder>');
    expect(JSON.stringify(await store.read(await only()))).not.toContain('system-reminder');
  });

  it('leaves out messages meant only for the model', () => {
    const said = (id: string, words: string, more = {}) => ({
      type: 'message',
      id,
      message: { role: 'user', content: [{ type: 'text', text: words }], ...more },
    });
    const lines = [
      { type: 'session_start', id: 'x', title: 't' },
      said('context-1', 'a list of folders'),
      said('2', 'a hint', { visibility: 'llm_only' }),
      said('3', 'the prompt'),
    ];
    const session = parseSession(lines.map((line) => JSON.stringify(line)).join('\n'), 'x.jsonl', []);
    expect(session?.messages.map(({ text }) => text)).toEqual(['the prompt']);
  });

  it('have changed when their settings have', async () => {
    const { stamp } = await only();
    writeFileSync(join(folder, `${ID}.settings.json`), '{}');
    expect((await only()).stamp).not.toBe(stamp);
  });

  it('are read without their settings too', () => {
    const session = parseSession(readFileSync(recorded('.jsonl'), 'utf8'), `${ID}.jsonl`, [undefined]);
    expect(session).toMatchObject({ model: 'custom:scripted-0', usage: undefined });
  });

  it('shows a compaction, but not its summary', () => {
    const lines = [
      { type: 'session_start', id: 'x', title: 'New Session', owner: 'me', version: 2, cwd: '/workspace' },
      { type: 'compaction_state', id: 'y', timestamp: '2026-11-16T05:24:10.378Z', summaryText: 'all of it' },
    ];
    const session = parseSession(lines.map((line) => JSON.stringify(line)).join('\n'), 'x.jsonl', []);
    expect(session?.title).toBeUndefined();
    expect(session?.messages.map(({ role }) => role)).toEqual(['system']);
    expect(JSON.stringify(session)).not.toContain('all of it');
  });

  it('deletes everything that belongs to them and nothing else', async () => {
    writeFileSync(join(folder, 'other.jsonl'), '{"type":"session_start","id":"other","title":"t","owner":"me"}\n');
    await store.remove?.({ path: join(folder, `${ID}.jsonl`), stamp: '' });
    expect(readdirSync(folder)).toEqual(['other.jsonl']);
  });
});
