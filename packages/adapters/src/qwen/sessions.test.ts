import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { qwenAdapter } from './index.ts';
import { parseSession } from './sessions.ts';

const adapter = qwenAdapter;
const sessionStore = adapter.sessionStore!;
const ID = 'aaaaaaaa-bbbb-4ccc-8ddd-000000000001';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'qwen-home-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

function recording(name: string): string {
  return fileURLToPath(new URL(`./recordings/${name}`, import.meta.url));
}

function put(path: string): string {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), '');
  return join(home, path);
}

const read = (name: string) => sessionStore.read({ path: recording(name), stamp: '' });
const parse = (...records: object[]) =>
  parseSession(records.map((record) => JSON.stringify(record)).join('\n'), 'x.jsonl');
const said = (uuid: string, parentUuid: string | null, type: string, text: string) => ({
  uuid,
  parentUuid,
  type,
  message: { parts: [{ text }] },
});

describe('stored sessions of Qwen Code', () => {
  it.each(['QWEN_HOME', 'QWEN_RUNTIME_DIR'])('are found in %s', async (name) => {
    const file = put(`projects/-workspace/chats/${ID}.jsonl`);
    put('projects/-workspace/meta.json');
    put(`projects/-workspace/subagents/${ID}/agent-x.jsonl`);
    expect((await sessionStore.find({ HOME: '/nowhere', [name]: home })).map(({ path }) => path)).toEqual([file]);
    vi.stubEnv(name, home);
    expect(adapter.sessionDir('/work.space')).toBe(join(home, 'projects', '-work-space', 'chats'));
  });

  it('have thinking, calls and tokens', async () => {
    const session = await read('session-file.jsonl');
    expect(session).toMatchObject({
      agent: 'qwen',
      sessionId: 'session-file',
      cwd: '/workspace',
      model: 'scripted-model',
      createdAt: Date.parse('2026-11-16T05:37:43.006Z'),
      usage: { inputTokens: 1200, cacheReadTokens: 6000, outputTokens: 204 },
    });
    expect(session.messages[1]).toMatchObject({
      role: 'assistant',
      text: 'Calling a tool. ',
      thinking: 'let me see',
      toolCalls: [{ toolName: 'run_shell_command', output: expect.stringContaining('Exit Code: 3'), isError: true }],
    });
    expect(session.messages.map(({ role, text }) => `${role} ${text.split(' ')[0]}`)).toEqual([
      'user use',
      'assistant Calling',
      'assistant TOOL',
      'user second',
      'assistant PONG:',
      'user bad',
      'assistant Calling',
      'assistant TOOL',
      'system The',
      'user after',
      'assistant PONG:',
    ]);
    expect(session.branches).toBeUndefined();
  });

  it('contain no vendor prompt', async () => {
    expect(readFileSync(recording('session-file.jsonl'), 'utf8')).toContain('VENDOR PROMPT');
    expect(JSON.stringify(await read('session-file.jsonl'))).not.toContain('VENDOR PROMPT');
  });

  it('have the session that they were forked from', async () => {
    const session = await read('session-fork.jsonl');
    expect(session.parentSessionId).toBe(ID);
    expect(session.messages.at(-1)?.text).toBe('PONG: forked');
  });

  it('count only what a fork added: the rest was paid for in the original session', async () => {
    const session = await read('session-fork.jsonl');
    expect(session.messages.filter(({ usage }) => usage).map(({ text }) => text)).toEqual(['PONG: forked']);
    expect(session.usage).toMatchObject({ inputTokens: 200, outputTokens: 34, totalTokens: 1234 });
  });

  it('keep the order of text and calls', () => {
    const parts = [
      { text: 'hm', thought: true },
      { text: 'First I look.' },
      { functionCall: { id: 't1', name: 'read_file', args: {} } },
      { text: 'Then I write.' },
    ];
    const answer = { uuid: 'b', parentUuid: 'a', type: 'assistant', message: { role: 'model', parts } };
    expect(parse(said('a', null, 'user', 'one'), answer)?.messages[1]).toMatchObject({
      thinking: 'hm',
      text: 'First I look.Then I write.',
      parts: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'First I look.' },
        { type: 'tool', toolCallId: 't1' },
        { type: 'text', text: 'Then I write.' },
      ],
    });
  });

  it('show rewound messages', () => {
    const session = parse(
      said('a', null, 'user', 'one'),
      said('b', 'a', 'assistant', 'ONE'),
      said('c', 'b', 'user', 'two'),
      { uuid: 'r', parentUuid: 'b', type: 'system', subtype: 'rewind' },
      said('d', 'r', 'user', 'three'),
    );
    expect(session?.messages.map(({ text }) => text)).toEqual(['one', 'ONE', 'three']);
    expect(session?.branches?.map(({ id, active }) => [id, active])).toEqual([
      ['c', false],
      ['d', true],
    ]);
  });

  it('show a prompt as typed, and notices as such', () => {
    const session = parse(
      { ...said('a', null, 'user', 'look at @x\n--- content of x ---'), systemPayload: { displayText: 'look at @x' } },
      {
        ...said('b', 'a', 'user', '<task-notification>long</task-notification>'),
        subtype: 'notification',
        provenance: 'system',
        systemPayload: { displayText: 'A background agent completed.' },
      },
      { uuid: 'c', parentUuid: 'b', type: 'system', subtype: 'custom_title', systemPayload: { customTitle: 'Mine' } },
    );
    expect(session?.title).toBe('Mine');
    expect(session?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'look at @x'],
      ['system', 'A background agent completed.'],
    ]);
  });

  it('are deleted with the transcripts of their subagents', async () => {
    const file = put(`projects/-workspace/chats/${ID}.jsonl`);
    copyFileSync(recording('session-file.jsonl'), file);
    const gone = put(`projects/-workspace/subagents/${ID}/agent-x.jsonl`);
    const kept = put('projects/-workspace/subagents/other/agent-x.jsonl');
    await sessionStore.remove?.({ path: file, stamp: '' });
    expect([file, gone, kept].map((path) => existsSync(path))).toEqual([false, false, true]);
  });
});
