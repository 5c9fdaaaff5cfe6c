import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grokAdapter } from './index.ts';

const store = grokAdapter.sessionStore!;
const FORKED = '01a1e2d9-873a-7691-bdbe-ce7ed2c37934';
const REWOUND = '01a1e2e0-3528-7850-8b09-b1991711a181';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'grok-home-'));
  place('forked-session', FORKED);
  place('rewound-session', REWOUND);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function folderOf(id: string): string {
  return join(home, '.grok', 'sessions', '%2Fworkspace', id);
}

function place(recording: string, id: string): void {
  cpSync(fileURLToPath(new URL(`./recordings/${recording}`, import.meta.url)), folderOf(id), { recursive: true });
}

async function refOf(id: string) {
  const ref = (await store.find({ HOME: home })).find(({ path }) => path.includes(id));
  if (!ref) throw new Error(`no session ${id}`);
  return ref;
}

const read = async (id: string) => store.read(await refOf(id));

describe('stored sessions of Grok Build', () => {
  it('are one folder each', async () => {
    expect((await store.find({ HOME: home })).map(({ path }) => path).sort()).toEqual(
      [FORKED, REWOUND].map((id) => join(folderOf(id), 'summary.json')),
    );
  });

  it('reads thinking, tool calls and the parent session', async () => {
    const session = await read(FORKED);
    expect(session).toMatchObject({
      agent: 'grok',
      sessionId: FORKED,
      parentSessionId: '01a1e2d9-7862-7162-9ec0-9838f32bdf13',
      cwd: '/workspace',
      model: 'scripted-model',
      createdAt: Date.parse('2026-11-16T05:34:29.188Z'),
    });
    expect(session.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', expect.stringContaining('[[think hm]]')],
      ['assistant', 'Calling a tool. '],
      ['assistant', 'TOOL RESULT: exit: 3\nhi\n'],
      ['user', 'second turn'],
      ['assistant', 'PONG: </user_query>'],
      ['user', 'after the fork'],
      ['assistant', 'PONG: </user_query>'],
    ]);
    expect(session.messages[0]?.timestamp).toBe(1794807266015);
    expect(session.messages[1]).toMatchObject({
      thinking: 'hm',
      toolCalls: [
        {
          toolCallId: 'call_3',
          toolName: 'run_terminal_command',
          input: { command: 'echo hi; exit 3', description: 'x' },
          output: 'exit: 3\nhi\n',
          isError: true,
        },
      ],
    });
  });

  it('counts their own usage, not that of their parent', async () => {
    expect((await read(FORKED)).usage).toMatchObject({ outputTokens: 34, totalTokens: 1234 });
    expect((await read(REWOUND)).usage).toMatchObject({ outputTokens: 102, totalTokens: 3702 });
  });

  it('has a branch for each rewind', async () => {
    const { messages, branches } = await read(REWOUND);
    const said = (all: typeof messages) => all.filter(({ role }) => role === 'user').map(({ text }) => text);
    expect(said(messages)).toEqual(['one please', 'three please']);
    expect(branches?.map((branch) => [branch.active, said(branch.messages)])).toEqual([
      [false, ['one please', 'two please']],
      [true, ['one please', 'three please']],
    ]);
  });

  it('shows a compaction without its command', async () => {
    const update = (body: object) => `${JSON.stringify({ params: { update: body } })}\n`;
    appendFileSync(
      join(folderOf(FORKED), 'updates.jsonl'),
      update({ sessionUpdate: 'auto_compact_completed', tokens_before: 3192, tokens_after: 100 }) +
        update({
          sessionUpdate: 'user_message_chunk',
          content: { type: 'text', text: '/compact' },
          _meta: { hostTurn: true },
        }),
    );
    expect((await read(FORKED)).messages.at(-1)).toMatchObject({ role: 'system' });
  });

  it('hides everything that was sent to the model', async () => {
    const sent = JSON.stringify({ type: 'system', content: 'You are Grok released by xAI.' });
    writeFileSync(join(folderOf(FORKED), 'chat_history.jsonl'), `${sent}\n`);
    expect(JSON.stringify(await read(FORKED))).not.toContain('You are Grok');
  });

  it('have changed after a new message', async () => {
    const { stamp } = await refOf(FORKED);
    appendFileSync(join(folderOf(FORKED), 'updates.jsonl'), 'half a li');
    expect((await refOf(FORKED)).stamp).not.toBe(stamp);
    expect((await read(FORKED)).warnings).toBeUndefined();
  });

  it('are deleted as a whole', async () => {
    await store.remove?.(await refOf(FORKED));
    expect([existsSync(folderOf(FORKED)), existsSync(folderOf(REWOUND))]).toEqual([false, true]);
  });
});
