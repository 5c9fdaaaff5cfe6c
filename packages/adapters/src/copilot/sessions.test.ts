import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { copilotAdapter } from './index.ts';
import { parseEvents, SESSION_STORE, titleIn } from './sessions.ts';

const adapter = copilotAdapter;
const ID = '11111111-2222-4333-8444-555555555555';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'copilot-home-'));
  vi.stubEnv('COPILOT_HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

function recorded(name: string): string {
  return readFileSync(new URL(`./recordings/${name}.jsonl`, import.meta.url), 'utf8');
}

function put(id = ID): string {
  const path = join(home, 'session-state', id, 'events.jsonl');
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(new URL('./recordings/session-file.jsonl', import.meta.url), path);
  return path;
}

describe('stored sessions of Copilot', () => {
  it('lists them for one folder or for all', async () => {
    const path = put();
    writeFileSync(join(home, 'session-state', ID, 'notes.jsonl'), '');
    expect(await adapter.listSessionFiles()).toEqual([path]);
    expect(await adapter.listSessionFiles('/workspace')).toEqual([path]);
    expect(await adapter.listSessionFiles('/other')).toEqual([]);
  });

  it('reads thinking, calls, results and tokens', async () => {
    const session = await adapter.parseSessionFile(put());
    expect(session).toMatchObject({
      agent: 'copilot',
      sessionId: ID,
      cwd: '/workspace',
      model: 'scripted-model',
      createdAt: Date.parse('2026-11-16T05:29:24.966Z'),
      usage: { inputTokens: 9 * 1200, outputTokens: 9 * 34, cacheReadTokens: 9000 },
    });
    const [asked, called, answered, , failed] = session.messages;
    expect(asked).toMatchObject({ role: 'user', text: expect.stringMatching(/^first .*\]\]$/) });
    expect(called).toMatchObject({
      text: 'Calling a tool. ',
      thinking: 'Let me ponder.',
      model: 'scripted-model',
      usage: { inputTokens: 1200, totalTokens: 1234 },
      toolCalls: [{ toolName: 'bash', input: { command: 'echo hi' }, output: expect.stringMatching(/^hi\n/) }],
    });
    expect(called?.toolCalls?.[0]?.isError).toBeUndefined();
    expect(answered?.text).toMatch(/^TOOL RESULT: hi/);
    expect(failed?.toolCalls).toMatchObject([{ output: expect.stringMatching(/^bad\n/), isError: true }]);
    const denied = session.messages.at(-3);
    expect(denied?.toolCalls).toMatchObject([{ output: expect.stringMatching(/^Permission denied/), isError: true }]);
  });

  it('shows a compaction and its usage, but not the summary', () => {
    expect(parseEvents(recorded('session-file'))?.messages.at(-1)).toMatchObject({
      role: 'system',
      text: 'The conversation so far was summarized.',
      usage: { totalTokens: 1234 },
    });
  });

  it('counts the usage of subagents and leaves out their messages', () => {
    const session = parseEvents(recorded('session-subagent'));
    expect(session?.messages.map(({ text }) => text.slice(0, 12))).toEqual([
      'sub [[tool t',
      'Calling a to',
      'TOOL RESULT:',
    ]);
    expect(session?.messages[1]?.toolCalls).toMatchObject([{ toolName: 'task', output: 'PONG: SUBTASK say hi' }]);
    expect(session?.usage?.totalTokens).toBe(3 * 1234);
  });

  it('hides everything that Copilot itself sent to the model', () => {
    for (const name of ['session-file', 'session-subagent']) {
      expect(recorded(name)).toMatch(/You are the GitHub Copilot CLI/);
      expect(recorded(name)).toMatch(/<current_datetime>/);
      expect(JSON.stringify(parseEvents(recorded(name)))).not.toMatch(/You are the GitHub Copilot|current_datetime/);
    }
  });

  it('has the title of its workspace file', async () => {
    const path = put();
    expect((await adapter.parseSessionFile(path)).title).toBeUndefined();
    writeFileSync(join(dirname(path), 'workspace.yaml'), 'id: x\nname: My session\nuser_named: true\n');
    expect((await adapter.parseSessionFile(path)).title).toBe('My session');
    expect(titleIn('name: "a: \\"b\\""\n')).toBe('a: "b"');
    expect(titleIn("name: 'it''s'\n")).toBe("it's");
    expect(titleIn('name: |\n  two\n  lines\n')).toBeUndefined();
  });

  it('deletes all of their files', async () => {
    const path = put();
    const other = put('22222222-2222-4333-8444-555555555555');
    await SESSION_STORE.remove?.({ path, stamp: '' });
    expect(existsSync(dirname(path))).toBe(false);
    expect(await adapter.listSessionFiles()).toEqual([other]);
  });
});
