import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Session } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openClawAdapter } from './index.ts';

const store = openClawAdapter.sessionStore!;
const TWO_TURNS = 'agent:main:amux:2b8044ff-db06-4e77-8964-f517796cc567';
const THOUGHT_AND_TOOL = 'agent:main:amux:f3c95b68-6e9e-4429-8f03-ebf2373adb8f';
const TOOL_ERROR = 'agent:main:amux:8803e352-3f41-4112-8fe1-f003e3af5df9';
const INTERRUPTED = 'agent:main:amux:ac5fe969-4d0e-4042-8c48-cf7cfff10a21';
const REFUSED = 'agent:main:amux:a96da30e-1a17-4884-8ab7-91b42beb2434';
const LONG = 'agent:main:amux:b4558f4b-556b-4de0-8423-0327975e14bb';

let home: string;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'openclaw-home-'));
  path = join(store.root({ HOME: home }), 'main', 'agent', 'openclaw-agent.sqlite');
  mkdirSync(dirname(path), { recursive: true });
  change(readFileSync(new URL('./recordings/sessions.sql', import.meta.url), 'utf8'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function change(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

const read = (key: string): Promise<Session> => store.read({ path, key, stamp: '' });
const said = ({ messages }: Session) => messages.map(({ role, text }) => [role, text]);

describe('stored sessions of OpenClaw', () => {
  it('lists those of all its agents, but not of subagents, by the key that resumes them', async () => {
    change(`UPDATE session_nodes SET spawned_by = 'agent:main:main' WHERE session_key = '${LONG}'`);
    mkdirSync(join(store.root({ HOME: home }), 'unused'));
    const keys = (await store.find({ HOME: home })).map(({ key }) => key);
    expect(keys).toEqual([REFUSED, INTERRUPTED, TOOL_ERROR, THOUGHT_AND_TOOL, TWO_TURNS]);
  });

  it('has folder, model, times, tokens and price', async () => {
    const session = await read(TWO_TURNS);
    expect(session).toMatchObject({
      agent: 'openclaw',
      sessionId: TWO_TURNS,
      cwd: '/workspace',
      model: 'proof/scripted-model',
      createdAt: 1794806020773,
      updatedAt: 1794806070375,
      usage: { inputTokens: 642, outputTokens: 47, cacheReadTokens: 2000, cacheCreationTokens: 100, totalTokens: 2789 },
      costUsd: expect.closeTo(0.003606, 9),
    });
    expect(said(session)).toEqual([
      ['user', 'The first question.'],
      ['assistant', 'the first answer'],
      ['user', 'The second question.'],
      ['assistant', 'the second answer'],
    ]);
    expect(JSON.stringify(session)).not.toContain('specialized instructions');
  });

  it('reads thinking and tool calls with their outcome', async () => {
    const { messages } = await read(THOUGHT_AND_TOOL);
    expect(messages[1]).toMatchObject({
      text: 'I look.',
      thinking: 'First I ponder where to look.',
      toolCalls: [{ toolName: 'exec', output: 'made-by-tool' }],
    });
    expect((await read(TOOL_ERROR)).messages[1]?.toolCalls).toEqual([
      {
        toolCallId: expect.any(String),
        toolName: 'exec',
        input: { command: 'echo broken-tool >&2; exit 3' },
        output: 'broken-tool\n\n(Command exited with code 3)',
        isError: true,
      },
    ]);
  });

  it('keeps messages before an interrupt and explains a missing answer', async () => {
    expect(said(await read(INTERRUPTED))[1]).toEqual(['assistant', 'c0 xxxxxxxx']);
    expect(said(await read(REFUSED))[1]).toEqual(['system', expect.stringContaining('invalid x-api-key')]);
  });

  it('reads compressed events', async () => {
    const { messages, warnings } = await read(LONG);
    expect(warnings).toBeUndefined();
    expect(messages[1]?.text.length).toBeGreaterThan(20_000);
  });

  it('shows prompts as typed, without gateway context', async () => {
    change(`UPDATE transcript_events SET event_json =
      json_set(event_json, '$.message.content', '[Working directory: /workspace]' || char(10, 10) || 'Typed.')
      WHERE session_id = '273e087f-783e-4eb3-a272-6dbfebd2658e' AND seq = 1;
      UPDATE transcript_events SET event_json =
      json_set(event_json, '$.message.content', '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>> secret')
      WHERE session_id = '273e087f-783e-4eb3-a272-6dbfebd2658e' AND seq = 5`);
    const session = await read(TWO_TURNS);
    expect(said(session).map(([, text]) => text)).toEqual(['Typed.', 'the first answer', 'the second answer']);
  });

  it('are trees after a rewind', async () => {
    const first = `(SELECT json_extract(event_json, '$.id') FROM transcript_events
      WHERE session_id = '273e087f-783e-4eb3-a272-6dbfebd2658e' AND seq = 4)`;
    change(`INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES
      ('273e087f-783e-4eb3-a272-6dbfebd2658e', 7, json_object('type', 'message', 'id', 'other', 'parentId', ${first},
        'message', json_object('role', 'user', 'content', 'Another second question.')), 1)`);
    const { branches, messages } = await read(TWO_TURNS);
    expect(branches?.map(({ active }) => active)).toEqual([false, true]);
    expect(messages.at(-1)?.text).toBe('Another second question.');
    change(`INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES
      ('273e087f-783e-4eb3-a272-6dbfebd2658e', 8, json_object('type', 'leaf', 'id', 'back', 'parentId', 'other', 'targetId', ${first}), 1)`);
    expect((await read(TWO_TURNS)).messages.at(-1)?.text).toBe('the first answer');
  });

  it('keeps the rest when one event is broken, and changes with every event', async () => {
    const before = await store.find({ HOME: home });
    change(`INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES
      ('273e087f-783e-4eb3-a272-6dbfebd2658e', 7, '{"type":', 1)`);
    const { messages, warnings } = await read(TWO_TURNS);
    expect(warnings).toEqual(['event 7 cannot be read']);
    expect(messages).toHaveLength(4);
    const after = await store.find({ HOME: home });
    expect(after.filter(({ stamp }, index) => stamp !== before[index]?.stamp).map(({ key }) => key)).toEqual([
      TWO_TURNS,
    ]);
  });

  it('cannot be deleted one by one: they share a file with the gateway', () => {
    expect(store.remove).toBeUndefined();
  });
});
