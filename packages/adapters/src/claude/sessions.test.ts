import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { claudeAdapter } from './index.ts';
import { parseSession } from './sessions.ts';

const adapter = claudeAdapter;
const recorded = recording('session-file.jsonl');
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
  it('are stored in a folder named after the working directory', () => {
    expect(adapter.sessionDir('/home/me/my.project')).toBe(join(home, 'projects', '-home-me-my-project'));
  });

  it('lists transcripts only, for one folder or for all', async () => {
    const folder = adapter.sessionDir('/workspace');
    mkdirSync(join(folder, 'memory'), { recursive: true });
    writeFileSync(join(folder, 'memory', 'x.md'), '');
    writeFileSync(join(folder, 'notes.txt'), '');
    const file = join(folder, `${ID}.jsonl`);
    copyFileSync(recorded, file);
    expect(await adapter.listSessionFiles('/workspace')).toEqual([file]);
    expect(await adapter.listSessionFiles()).toEqual([file]);
    expect(await adapter.listSessionFiles('/other')).toEqual([]);
  });

  it('reads messages, tokens and price', async () => {
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

  it('reads calls with their results, including parallel ones', async () => {
    const session = await read('session-parallel-tools.jsonl');
    expect(session.messages).toMatchObject([
      { role: 'user', text: 'Make two files.' },
      {
        role: 'assistant',
        toolCalls: [
          { toolName: 'Bash', output: 'one' },
          { toolName: 'Bash', output: 'two' },
        ],
      },
      { role: 'assistant', text: 'Both are there.' },
    ]);
    expect(session.branches).toBeUndefined();
    expect(session.usage).toMatchObject({ inputTokens: 400, outputTokens: 68 });
  });

  it('reads thinking and failed calls, and a fork as a separate session with its history', async () => {
    const session = await read('session-fork.jsonl');
    const answer = session.messages[1];
    expect(answer).toMatchObject({ text: 'Calling a tool. ', thinking: 'let me see' });
    expect(answer?.toolCalls).toMatchObject([{ toolName: 'Bash', output: 'Exit code 3\nhi', isError: true }]);
    expect(session.messages.at(-1)?.text).toBe('PONG: forked turn');
  });

  it('counts only what a fork added: the rest was paid for in the original session', async () => {
    const session = await read('session-fork.jsonl');
    expect(session.messages.filter(({ usage }) => usage).map(({ text }) => text)).toEqual(['PONG: forked turn']);
    expect(session.usage).toMatchObject({ inputTokens: 1200, outputTokens: 34 });
    // `cost-state` continues from the cost of the original session.
    expect(session).not.toHaveProperty('costUsd');
  });

  it.each([
    ['names where it was forked from', { sessionId: 'fork', forkedFrom: { sessionId: 'other', messageUuid: 'a' } }],
    ['has the id of the other session', { sessionId: 'other' }],
  ])('does not count a record that %s', (_, sign) => {
    const line = (id: string, more: object) =>
      JSON.stringify({
        type: 'assistant',
        uuid: id,
        parentUuid: 'p',
        timestamp: '2026-11-16T05:00:00.000Z',
        message: { id, content: [{ type: 'text', text: id }], usage: { input_tokens: 10, output_tokens: 1 } },
        ...more,
      });
    const prompt = JSON.stringify({ type: 'user', uuid: 'p', sessionId: 'fork', message: { content: 'hi' } });
    const lines = [prompt, line('copied', sign), line('added', { sessionId: 'fork' })];
    const session = parseSession(lines.join('\n'), '/projects/x/fork.jsonl');
    expect(session?.messages.filter(({ usage }) => usage).map(({ text }) => text)).toEqual(['added']);
    expect(session?.usage).toMatchObject({ inputTokens: 10, outputTokens: 1 });
  });

  it('keeps the order of text and calls', () => {
    const block = (content: object) =>
      JSON.stringify({ type: 'assistant', uuid: 'a', parentUuid: 'p', message: { id: 'm', content: [content] } });
    const lines = [
      JSON.stringify({ type: 'user', uuid: 'p', message: { content: 'hi' } }),
      block({ type: 'text', text: 'First I look.' }),
      block({ type: 'tool_use', id: 't1', name: 'Read', input: {} }),
      block({ type: 'text', text: 'Then I write.' }),
      block({ type: 'tool_use', id: 't2', name: 'Write', input: {} }),
    ];
    expect(parseSession(lines.join('\n'), 's.jsonl')?.messages[1]).toMatchObject({
      text: 'First I look.Then I write.',
      toolCalls: [{ toolCallId: 't1' }, { toolCallId: 't2' }],
      parts: [
        { type: 'text', text: 'First I look.' },
        { type: 'tool', toolCallId: 't1' },
        { type: 'text', text: 'Then I write.' },
        { type: 'tool', toolCallId: 't2' },
      ],
    });
  });

  it('shows the active branch of the conversation and the abandoned one', async () => {
    const session = await read('session-branches.jsonl');
    expect(session.branches?.map(({ active, messages }) => [active, messages.map(({ text }) => text.trim())])).toEqual([
      [false, ['one', 'PONG: one', 'two', 'PONG: two']],
      [true, session.messages.map(({ text }) => text.trim())],
    ]);
    expect(session.messages.map(({ role, text }) => [role, text.trim()])).toEqual([
      ['user', 'one'],
      ['assistant', 'PONG: one'],
      ['user', 'three'],
      ['assistant', 'PONG: three'],
      ['system', 'The conversation so far was summarized.'],
      ['user', '/compact'],
      ['system', 'Compacted (ctrl+o to see full summary)'],
      ['user', '/usage'],
      ['user', 'after compact'],
      ['assistant', 'PONG: after compact'],
      ['user', '[[status 401]]'],
    ]);
  });

  it.each(['session-fork.jsonl', 'session-branches.jsonl'])('contains no vendor prompt: %s', async (name) => {
    expect(readFileSync(recording(name), 'utf8')).toContain('VENDOR PROMPT');
    expect(JSON.stringify(await read(name))).not.toContain('VENDOR PROMPT');
  });

  it('sorts an answer correctly even if it was written after the next prompt', () => {
    const user = (uuid: string, parentUuid: string | null, content: string) => ({
      type: 'user',
      uuid,
      parentUuid,
      message: { role: 'user', content },
    });
    const answer = { role: 'assistant', id: 'm', content: [{ type: 'text', text: 'ONE' }] };
    const late = { type: 'assistant', uuid: 'c', parentUuid: 'a', message: answer };
    const lines = [user('a', null, 'one'), user('b', 'a', 'two'), late].map((line) => JSON.stringify(line));
    expect(parseSession(lines.join('\n'), 'x.jsonl')?.messages.map(({ text }) => text)).toEqual(['one', 'ONE', 'two']);
  });

  it('drops reminders, which earlier versions put into messages', () => {
    const content = '<system-reminder>VENDOR</system-reminder>\nhello';
    const line = { type: 'user', uuid: 'u', message: { role: 'user', content } };
    expect(parseSession(JSON.stringify(line), 'x.jsonl')?.messages).toMatchObject([{ text: 'hello' }]);
  });

  it('uses the title of the user, else that of the model', () => {
    const generated = { type: 'ai-title', aiTitle: 'By a model' };
    const options = { type: 'custom-title', customTitle: 'My name' };
    const titleOf = (...lines: object[]) =>
      parseSession(lines.map((line) => JSON.stringify(line)).join('\n'), 'x.jsonl')?.title;
    expect(titleOf(options, generated)).toBe('My name');
    expect(titleOf(generated)).toBe('By a model');
    expect(titleOf({ type: 'mode' })).toBeUndefined();
  });

  it.each([
    [
      '<task-notification>\n<summary>Background command ended</summary>\n</task-notification>',
      'Background command ended',
    ],
    ['[Request interrupted by user]', '[Request interrupted by user]'],
  ])('shows notes of the CLI instead of a prompt: %j', (content, note) => {
    const line = { type: 'user', uuid: 'u', message: { role: 'user', content } };
    const prompt = { type: 'user', uuid: 'p', message: { role: 'user', content: 'go' } };
    const session = parseSession(`${JSON.stringify(prompt)}\n${JSON.stringify(line)}`, 'x.jsonl');
    expect(session?.messages).toMatchObject([{ role: 'user' }, { role: 'system', text: note }]);
  });

  it('deletes everything stored for them and nothing else', async () => {
    const folder = adapter.sessionDir('/workspace');
    const kept = [join(folder, 'other.jsonl'), join(home, 'file-history', 'other', 'x')];
    const gone = [join(folder, ID, 'subagents', 'a.jsonl'), join(home, 'session-env', ID, 'x')];
    for (const path of [...kept, ...gone]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
    }
    copyFileSync(recorded, join(folder, `${ID}.jsonl`));
    await adapter.sessionStore!.remove?.({ path: join(folder, `${ID}.jsonl`), stamp: '' });
    expect(kept.map((path) => existsSync(path))).toEqual([true, true]);
    expect(gone.map((path) => existsSync(path))).toEqual([false, false]);
    expect(await adapter.listSessionFiles()).toEqual([join(folder, 'other.jsonl')]);
  });

  it('reports a missing file without crashing', async () => {
    await expect(adapter.parseSessionFile(join(home, 'none.jsonl'))).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});

function recording(name: string): string {
  return fileURLToPath(new URL(`./recordings/${name}`, import.meta.url));
}

function read(name: string) {
  return adapter.parseSessionFile(recording(name));
}
