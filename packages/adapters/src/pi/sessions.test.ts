import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { piAdapter } from './index.ts';

const sessionStore = piAdapter.sessionStore!;
const recording = (name: string) => fileURLToPath(new URL(`./recordings/sessions/${name}.jsonl`, import.meta.url));
const read = (path: string) => sessionStore.read({ path, stamp: '' });
const textsOf = ({ messages }: Pick<Session, 'messages'>) => messages.map(({ text }) => text);
const ID = '01a1e2e1-36fa-7091-8575-c67cbe012988';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pi-home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function store(path: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(recording('tree'), file);
  return file;
}

describe('stored sessions of pi', () => {
  it('are in a folder for each working directory, or in the configured one', async () => {
    const file = store(`.pi/agent/sessions/--workspace--/2026-11-16T05-42-52-953Z_${ID}.jsonl`);
    store('.pi/agent/sessions/--workspace--/notes.jsonl');
    const chosen = store(`chosen/2026-11-16T05-42-52-953Z_${ID}.jsonl`);
    expect((await sessionStore.find({ HOME: home })).map(({ path }) => path)).toEqual([file]);
    const env = { HOME: home, PI_CODING_AGENT_SESSION_DIR: join(home, 'chosen') };
    expect((await sessionStore.find(env)).map(({ path }) => path)).toEqual([chosen]);
  });

  it('are one file each, and deleted with it', async () => {
    const file = store(`.pi/agent/sessions/--workspace--/2026-11-16T05-42-52-953Z_${ID}.jsonl`);
    await sessionStore.remove?.({ path: file, stamp: '' });
    expect(existsSync(file)).toBe(false);
  });

  it('are trees: every branch is rebuilt, and that of the last line is active', async () => {
    const session = await read(recording('tree'));
    expect(session).toMatchObject({ sessionId: ID, title: 'A tree', cwd: '/workspace', model: 'lab/scripted' });
    expect(textsOf(session)).toEqual([
      'first',
      'PONG: first',
      'second, another way',
      'PONG: second, another way',
      '$ echo shelled\nshelled',
      'after compaction',
      'PONG: after compaction',
    ]);
    expect(session.branches?.map((branch) => [branch.id, branch.active, textsOf(branch).at(-1)])).toEqual([
      ['fe50ccc1', false, 'PONG: second'],
      ['2ced7305', true, 'PONG: after compaction'],
    ]);
    expect(session.usage?.totalTokens).toBe(4 * 2284);
    expect(session.costUsd).toBeCloseTo(0.01839);
  });

  it('continue at the last line, even without an answer there', async () => {
    const lines = readFileSync(recording('tree'), 'utf8');
    const file = join(home, 'back.jsonl');
    const label = { type: 'label', id: 'aaaa0000', parentId: '368453ba', timestamp: '2026-11-16T05:43:00.000Z' };
    writeFileSync(file, `${lines}${JSON.stringify(label)}\n`);
    const session = await read(file);
    expect(textsOf(session)).toEqual(['first', 'PONG: first']);
    expect(session.branches?.map(({ id, active }) => [id, active])).toEqual([
      ['fe50ccc1', false],
      ['2ced7305', false],
      ['368453ba', true],
    ]);
  });

  it('name the original session of a fork and count only what was added', async () => {
    const session = await read(recording('fork'));
    expect(session).toMatchObject({
      sessionId: '01a1e2e0-4df3-754e-a62b-a57b6a0ec247',
      parentSessionId: '01a1e2e0-2b96-71c0-a27c-d072b714a88e',
      title: 'My name',
      createdAt: Date.parse('2026-11-16T05:41:53.268Z'),
      updatedAt: Date.parse('2026-11-16T05:41:53.686Z'),
      usage: { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 1000, cacheCreationTokens: 50, totalTokens: 2284 },
      costUsd: 0.0045975,
    });
    expect(session.branches).toBeUndefined();
    expect(session.messages.filter(({ usage }) => usage)).toHaveLength(1);
  });

  it('have thinking, tool calls with their results, and failures', async () => {
    const { messages } = await read(recording('fork'));
    expect(messages[1]).toMatchObject({ role: 'assistant', thinking: 'I wonder', model: 'lab/scripted' });
    expect(messages.flatMap(({ toolCalls = [] }) => toolCalls)).toEqual([
      { toolCallId: 'toolu_2', toolName: 'bash', input: { command: 'echo hi' }, output: 'hi\n' },
      {
        toolCallId: 'toolu_4',
        toolName: 'read',
        input: { path: '/workspace/none.txt' },
        output: "ENOENT: no such file or directory, access '/workspace/none.txt'",
        isError: true,
      },
    ]);
    expect(messages.find(({ role }) => role === 'system')?.text).toContain('scripted 401');
  });

  it('hide the prompt of the agent', async () => {
    expect(readFileSync(recording('tree'), 'utf8')).toContain('expert coding assistant');
    expect(JSON.stringify(await read(recording('tree')))).not.toContain('expert coding assistant');
  });

  it('show a note for a summary, and count requests without output', async () => {
    const lines = readFileSync(recording('tree'), 'utf8');
    const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: { total: 0.5 } };
    const time = { timestamp: '2026-11-16T05:43:00.000Z' };
    const compaction = { type: 'compaction', id: 'aaaa0001', parentId: '2ced7305', summary: 'S', usage, ...time };
    const warmed = { type: 'usage', id: 'aaaa0002', parentId: 'aaaa0001', kind: 'cache_warm', usage, ...time };
    const file = join(home, 'summary.jsonl');
    writeFileSync(file, `${lines}${JSON.stringify(compaction)}\n${JSON.stringify(warmed)}\n`);
    const session = await read(file);
    expect(session.messages.at(-1)).toMatchObject({
      role: 'system',
      text: 'The conversation so far was summarized.',
      costUsd: 0.5,
    });
    expect(session.costUsd).toBeCloseTo(1.01839);
  });

  it('are read in order without ids (first version)', async () => {
    const file = join(home, 'old.jsonl');
    const said = (role: string, text: string) => ({
      type: 'message',
      message: { role, content: [{ type: 'text', text }] },
    });
    const lines = [{ type: 'session', id: 'old' }, said('user', 'hi'), said('assistant', 'ho')];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const session = await read(file);
    expect(textsOf(session)).toEqual(['hi', 'ho']);
    expect(session.branches).toBeUndefined();
  });

  it('skip a broken line and an incomplete last one', async () => {
    const lines = readFileSync(recording('tree'), 'utf8');
    const file = join(home, 'broken.jsonl');
    writeFileSync(file, `${lines}{"type":"mess\n{"type":"message","id":"aaaa0003","par`);
    const { warnings, messages } = await read(file);
    expect(warnings).toEqual([expect.stringContaining('is not JSON')]);
    expect(messages).toHaveLength(7);
    writeFileSync(file, '{"type":"title","title":"x"}\n');
    await expect(read(file)).rejects.toMatchObject({ code: 'PARSE_ERROR' });
  });
});
