import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SESSION_STORE as store } from './sessions.ts';

const ID = '0198a4c2-1111-4222-8333-444455556666';
const MESSAGES = [
  { role: 'user', content: 'List the files.', message_id: 'm1' },
  {
    role: 'assistant',
    content: 'I look.',
    reasoning_content: 'Where?',
    message_id: 'm2',
    tool_calls: [
      { id: 'c1', index: 0, type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } },
      { id: 'c2', index: 1, type: 'function', function: { name: 'read', arguments: '{"path":"gone"}' } },
    ],
  },
  { role: 'tool', content: 'a.txt', name: 'bash', tool_call_id: 'c1' },
  { role: 'tool', content: '<tool_error>read failed: no such file</tool_error>', name: 'read', tool_call_id: 'c2' },
  { role: 'user', content: 'a reminder of the vendor', injected: true, message_id: 'm3' },
  { role: 'assistant', content: 'One file.', message_id: 'm4' },
];
const META = {
  session_id: ID,
  parent_session_id: null,
  start_time: '2026-11-16T05:00:00+00:00',
  end_time: '2026-11-16T05:00:09.500000+00:00',
  environment: { working_directory: '/workspace' },
  title: 'List the files.',
  stats: {
    session_prompt_tokens: 100,
    session_completion_tokens: 20,
    session_total_llm_tokens: 120,
    session_cost: 0.01,
  },
  config: { active_model: 'mistral-medium-3.5' },
  system_prompt: { role: 'system', content: 'the prompt of the vendor' },
};

let home: string;
let root: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vibe-home-'));
  root = store.root({ HOME: home });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(name: string, messages: readonly object[] = MESSAGES, meta: object = META): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'messages.jsonl'), messages.map((line) => `${JSON.stringify(line)}\n`).join(''));
  writeFileSync(join(folder, 'meta.json'), JSON.stringify(meta));
  return folder;
}

async function only() {
  const [ref] = await store.find({ HOME: home });
  return store.read(ref!);
}

describe('stored sessions of Mistral Vibe', () => {
  it('have thinking, tool calls, tokens and price, without vendor text', async () => {
    put('session_20261116_050000_0198a4c2');
    const session = await only();
    expect(session).toMatchObject({
      agent: 'vibe',
      sessionId: ID,
      title: 'List the files.',
      cwd: '/workspace',
      model: 'mistral-medium-3.5',
      createdAt: Date.parse('2026-11-16T05:00:00Z'),
      updatedAt: Date.parse('2026-11-16T05:00:09.5Z'),
      usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
      costUsd: 0.01,
    });
    expect(session.messages).toEqual([
      { id: 'm1', role: 'user', text: 'List the files.' },
      {
        id: 'm2',
        role: 'assistant',
        text: 'I look.',
        thinking: 'Where?',
        toolCalls: [
          { toolCallId: 'c1', toolName: 'bash', input: { command: 'ls' }, output: 'a.txt' },
          {
            toolCallId: 'c2',
            toolName: 'read',
            input: { path: 'gone' },
            output: 'read failed: no such file',
            isError: true,
          },
        ],
      },
      { id: 'm4', role: 'assistant', text: 'One file.' },
    ]);
    expect(JSON.stringify(session)).not.toContain('vendor');
  });

  it('show that they continue after a compaction, and from where', async () => {
    const summary = { role: 'user', content: 'a summary', injected: true };
    put('session_b', [summary, MESSAGES[0]!], { ...META, parent_session_id: 'before' });
    const { messages, parentSessionId } = await only();
    expect(parentSessionId).toBe('before');
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('exclude those of subagents, and change with their meta.json', async () => {
    const folder = put('session_a');
    put('session_a/agents/session_sub');
    const [before, ...others] = await store.find({ HOME: home });
    expect(others).toEqual([]);
    writeFileSync(join(folder, 'meta.json'), JSON.stringify({ ...META, title: 'Another title' }));
    expect((await store.find({ HOME: home }))[0]?.stamp).not.toBe(before?.stamp);
  });

  it('need their meta.json', async () => {
    rmSync(join(put('session_a'), 'meta.json'));
    await expect(only()).rejects.toMatchObject({ code: 'PARSE_ERROR' });
  });

  it('are deleted with everything that belongs to them and nothing else', async () => {
    put('session_a');
    put('session_a/agents/session_sub');
    put('session_b', MESSAGES, { ...META, session_id: 'other' });
    const refs = await store.find({ HOME: home });
    await store.remove?.(refs.find(({ path }) => path.includes('session_a'))!);
    expect(readdirSync(root)).toEqual(['session_b']);
    expect(existsSync(join(root, 'session_b', 'meta.json'))).toBe(true);
  });
});
