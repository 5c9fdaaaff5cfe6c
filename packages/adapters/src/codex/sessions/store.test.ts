import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { codexAdapter } from '../index.ts';
import { parseRollout } from './rollout.ts';
import { SESSION_STORE } from './store.ts';

const adapter = codexAdapter;
const BASE = '01a1e2c6-177c-7ec3-b77b-966cd1c4c04b';
const FORK = '01a1e2c6-45fb-7493-9426-1bff5891bb8f';
let home: string;
let day: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'codex-home-'));
  vi.stubEnv('CODEX_HOME', home);
  day = join(home, 'sessions', '2026', '11', '16');
  mkdirSync(day, { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

function recorded(name: string): string {
  return readFileSync(new URL(`../recordings/${name}.jsonl`, import.meta.url), 'utf8');
}

function put(name: string, id: string, folder = day): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `rollout-2026-11-16T05-13-15-${id}.jsonl`);
  copyFileSync(new URL(`../recordings/${name}.jsonl`, import.meta.url), path);
  return path;
}

describe('stored sessions of Codex', () => {
  it('lists rollouts only, for one folder or for all', async () => {
    const path = put('session-file', BASE);
    writeFileSync(join(day, 'notes.jsonl'), '{}\n');
    expect(adapter.sessionDir()).toBe(join(home, 'sessions'));
    expect(await adapter.listSessionFiles()).toEqual([path]);
    expect(await adapter.listSessionFiles('/workspace')).toEqual([path]);
    expect(await adapter.listSessionFiles('/other')).toEqual([]);
  });

  it('reads thinking, calls, results and tokens', async () => {
    const session = await adapter.parseSessionFile(put('session-file', BASE));
    expect(session).toMatchObject({
      agent: 'codex',
      sessionId: BASE,
      cwd: '/workspace',
      model: 'gpt-5.5',
      createdAt: Date.parse('2026-11-16T05:13:15.390Z'),
      updatedAt: Date.parse('2026-11-16T05:13:22.007Z'),
      usage: { inputTokens: 800, outputTokens: 136, cacheReadTokens: 4000, totalTokens: 4936 },
    });
    expect(session.warnings).toBeUndefined();
    const [asked, called, answered, askedAgain, failed] = session.messages;
    expect(asked).toMatchObject({ role: 'user', text: expect.stringMatching(/^first .*\]\]$/) });
    expect(called).toMatchObject({
      role: 'assistant',
      text: 'Calling a tool. ',
      thinking: 'Let me ponder.',
      toolCalls: [
        { toolCallId: 'call_1', toolName: 'exec_command', input: { cmd: 'echo hi; exit 0' }, output: 'hi\n' },
      ],
      usage: { inputTokens: 200, cacheReadTokens: 1000 },
    });
    expect(called?.toolCalls?.[0]?.isError).toBeUndefined();
    expect(answered?.text).toContain('TOOL RESULT');
    expect(askedAgain?.text).toMatch(/^second/);
    expect(failed?.toolCalls).toMatchObject([{ output: 'bad\n', isError: true }]);
    expect(session.messages).toHaveLength(6);
  });

  it('hides everything that Codex itself sent to the model', async () => {
    for (const name of ['session-file', 'session-fork', 'session-compacted']) {
      const content = recorded(name);
      expect(content).toMatch(/You are Codex/);
      expect(content).toMatch(/environment_context/);
      const shown = JSON.stringify(parseRollout(content));
      expect(shown).not.toMatch(/You are Codex|environment_context|marker-agents|skills_instructions|permissions ins/);
    }
  });

  it('shows a compaction and its usage, but not the summary', () => {
    const session = parseRollout(recorded('session-compacted'));
    expect(session?.messages.map(({ role, text }) => [role, text.slice(0, 40)])).toEqual([
      ['user', expect.stringMatching(/^patch/)],
      ['assistant', expect.stringMatching(/^PONG: patch/)],
      ['user', 'plain question'],
      ['assistant', 'PONG: plain question'],
      ['system', 'The conversation so far was summarized.'],
      ['user', 'after compaction'],
      ['assistant', 'PONG: after compaction'],
    ]);
    expect(session?.messages[4]?.usage?.totalTokens).toBe(1234);
  });

  it('starts a fork in the file of the other session, whose tokens are not counted again', async () => {
    put('session-file', BASE);
    const session = await adapter.parseSessionFile(put('session-fork', FORK));
    expect(session).toMatchObject({ sessionId: FORK, parentSessionId: BASE, usage: { totalTokens: 2468 } });
    expect(session.messages.map(({ text }) => text.slice(0, 6))).toEqual([
      ...['first ', 'Callin', 'TOOL R', 'second', 'Callin', 'TOOL R'],
      ...['forked', 'PONG: ', 'go on ', 'PONG: '],
    ]);
    expect(session.messages.slice(0, 6).every(({ usage }) => usage === undefined)).toBe(true);
  });

  it('finds the start of a fork in the archive too, and warns if it is missing', async () => {
    const fork = put('session-fork', FORK);
    expect(await adapter.parseSessionFile(fork)).toMatchObject({
      messages: { length: 4 },
      warnings: [expect.stringContaining(BASE)],
    });
    put('session-file', BASE, join(home, 'archived_sessions'));
    expect(await adapter.parseSessionFile(fork)).toMatchObject({ messages: { length: 10 } });
  });

  it('ends where the fork was made', () => {
    expect(parseRollout(recorded('session-file'), 23)?.messages).toHaveLength(3);
  });

  it('deletes them, except those with a fork', async () => {
    const path = put('session-file', BASE);
    const fork = put('session-fork', FORK);
    await expect(SESSION_STORE.remove?.({ path, stamp: '' })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
      message: expect.stringContaining(FORK),
    });
    await SESSION_STORE.remove?.({ path: fork, stamp: '' });
    await SESSION_STORE.remove?.({ path, stamp: '' });
    expect(await SESSION_STORE.find(process.env)).toEqual([]);
  });

  it('reads older versions by their events', () => {
    const line = (type: string, payload: object) =>
      JSON.stringify({ timestamp: '2025-09-01T10:00:00.000Z', type, payload });
    const counts = (total: number, output: number) => ({
      total_token_usage: { total_tokens: total },
      last_token_usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: output, total_tokens: 10 + output },
    });
    const session = parseRollout(
      [
        line('session_meta', { id: BASE, cwd: '/workspace', cli_version: '0.40.0' }),
        line('response_item', {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: '<environment_context>' }],
        }),
        line('event_msg', { type: 'user_message', message: 'old question' }),
        line('event_msg', { type: 'agent_reasoning', text: 'old thought' }),
        line('response_item', { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' }),
        line('response_item', { type: 'function_call_output', call_id: 'c1', output: 'a.txt' }),
        line('event_msg', { type: 'token_count', info: counts(12, 2) }),
        line('event_msg', { type: 'agent_message', message: 'old answer' }),
        line('event_msg', { type: 'token_count', info: counts(12, 2) }),
        line('event_msg', { type: 'token_count', info: counts(25, 3) }),
        'half a li',
      ].join('\n'),
    );
    expect(session).toMatchObject({
      messages: [
        { role: 'user', text: 'old question' },
        { thinking: 'old thought', toolCalls: [{ toolName: 'shell', input: { command: ['ls'] }, output: 'a.txt' }] },
        { role: 'assistant', text: 'old answer', usage: { outputTokens: 3 } },
      ],
      usage: { inputTokens: 12, cacheReadTokens: 8, outputTokens: 5 },
    });
    expect(session?.warnings).toBeUndefined();
  });

  it('skips a broken line', () => {
    const lines = recorded('session-file').split('\n');
    const broken = [lines[0], '{"broken', ...lines.slice(1)].join('\n');
    expect(parseRollout(broken)).toMatchObject({ messages: { length: 6 }, warnings: ['line 2 is not JSON'] });
  });
});
