import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kimiAdapter } from './index.ts';
import { parseSession } from './sessions.ts';

const store = kimiAdapter.sessionStore!;
const FIRST = 'session_961576ae-2f9a-4665-9ec2-3c8c39ab27f0';
const FORKED = 'session_71e10d4b-1cd1-42a3-b215-5b805c85eafb';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kimi-home-'));
  for (const [recording, id] of [
    ['session', FIRST],
    ['forked-session', FORKED],
  ] as const) {
    cpSync(fileURLToPath(new URL(`./recordings/${recording}`, import.meta.url)), folderOf(id), { recursive: true });
  }
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function folderOf(id: string): string {
  return join(home, '.kimi-code', 'sessions', 'wd_workspace_c52ddf65534b', id);
}

const wireOf = (id: string) => join(folderOf(id), 'agents', 'main', 'wire.jsonl');

async function refOf(id: string) {
  const ref = (await store.find({ HOME: home })).find(({ path }) => path.includes(id));
  if (!ref) throw new Error(`no session ${id}`);
  return ref;
}

const read = async (id: string) => store.read(await refOf(id));

describe('stored sessions of Kimi Code', () => {
  it('reads thinking, tool calls and tokens', async () => {
    const session = await read(FIRST);
    expect(session).toMatchObject({
      agent: 'kimi',
      sessionId: FIRST,
      cwd: '/workspace',
      model: 'scripted-model',
      createdAt: 1794808078243,
      updatedAt: 1794808108221,
      usage: { inputTokens: 600, outputTokens: 102, cacheReadTokens: 3000, totalTokens: 3702 },
    });
    expect(session.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', expect.stringContaining('[[think hm]]')],
      ['assistant', 'Calling a tool. '],
      ['assistant', expect.stringContaining('TOOL RESULT')],
      ['user', 'second turn'],
      ['assistant', 'PONG: second turn'],
    ]);
    expect(session.messages[1]).toMatchObject({
      thinking: 'hm',
      model: 'scripted-model',
      usage: { outputTokens: 34, totalTokens: 1234 },
      toolCalls: [
        {
          toolCallId: 'call_1',
          toolName: 'Bash',
          input: { command: 'echo hi; exit 3' },
          output: 'hi\nCommand failed with exit code: 3.',
          isError: true,
        },
      ],
    });
  });

  it('has its parent, and does not count its usage', async () => {
    const session = await read(FORKED);
    expect(session).toMatchObject({
      title: 'Fork: one please',
      parentSessionId: 'session_ed3ee3fe-892c-4dde-bdcb-befa5a1399cc',
      usage: { outputTokens: 34, totalTokens: 1234 },
    });
    expect(session.messages).toHaveLength(6);
    expect(session.messages.filter(({ usage }) => usage)).toHaveLength(1);
  });

  it('hides everything that the CLI sent to the model', async () => {
    const recorded = readFileSync(wireOf(FIRST), 'utf8');
    const session = JSON.stringify(await read(FIRST));
    for (const hidden of ['You are Kimi Code CLI', '<system-reminder>']) {
      expect(recorded).toContain(hidden);
      expect(session).not.toContain(hidden);
    }
  });

  it('has a branch of rewound messages', () => {
    const prompt = (words: string) => ({
      type: 'context.append_message',
      message: { role: 'user', content: [{ type: 'text', text: words }], origin: { kind: 'user' } },
    });
    const lines = [prompt('one'), prompt('two'), prompt('three'), { type: 'context.undo', count: 2 }, prompt('four')];
    const wire = lines.map((line) => JSON.stringify(line)).join('\n');
    const session = parseSession('{"id":"session_x","agents":{}}', 'state.json', [wire]);
    expect(session?.messages.map(({ text }) => text)).toEqual(['one', 'four']);
    expect(session?.branches?.map(({ active, messages }) => [active, messages.length])).toEqual([
      [false, 3],
      [true, 2],
    ]);
  });

  it('shows a compaction, but not its summary', async () => {
    appendFileSync(wireOf(FIRST), `${JSON.stringify({ type: 'context.apply_compaction', summary: 'all of it' })}\n`);
    const { messages } = await read(FIRST);
    expect(messages.at(-1)).toMatchObject({ role: 'system' });
    expect(JSON.stringify(messages)).not.toContain('all of it');
  });

  it('have changed after a new message, and skip a broken record', async () => {
    const { stamp } = await refOf(FIRST);
    appendFileSync(wireOf(FIRST), '{"type":\n');
    expect((await refOf(FIRST)).stamp).not.toBe(stamp);
    const { messages, warnings } = await read(FIRST);
    expect([messages.length, warnings?.length]).toEqual([5, 1]);
  });

  it('are deleted as a whole', async () => {
    await store.remove?.(await refOf(FIRST));
    expect([existsSync(folderOf(FIRST)), existsSync(folderOf(FORKED))]).toEqual([false, true]);
  });
});
