import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { geminiAdapter } from './index.ts';
import { parseSession } from './sessions.ts';

const sessionStore = geminiAdapter.sessionStore!;
const recorded = fileURLToPath(new URL('./recordings/session-file.jsonl', import.meta.url));
const ID = 'aaaaaaaa-bbbb-4ccc-8ddd-000000000001';
let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gemini-home-'));
  file = put('workspace/chats/session-2026-11-16T05-33-aaaaaaaa.jsonl');
  copyFileSync(recorded, file);
  writeFileSync(put('workspace/.project_root'), '/workspace');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string): string {
  const whole = join(home, '.gemini', 'tmp', path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, '');
  return whole;
}

async function stored() {
  const refs = await sessionStore.find({ GEMINI_CLI_HOME: home });
  return refs.map(({ path }) => path);
}

function read() {
  return sessionStore.read({ path: file, stamp: '' });
}

const line = (...records: object[]) => records.map((record) => JSON.stringify(record)).join('\n');
const header = { sessionId: ID, projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z', kind: 'main' };
const said = (id: string, type: string, text: string) => ({ id, type, content: [{ text }] });

describe('stored sessions of Gemini CLI', () => {
  it('are the chats of all projects, without those of subagents', async () => {
    put(`workspace/chats/${ID}/subagent.jsonl`);
    put('workspace/logs/session-x.jsonl');
    expect(await stored()).toEqual([file]);
  });

  it('has project, model, times and title', async () => {
    expect(await read()).toMatchObject({
      agent: 'gemini',
      sessionId: ID,
      cwd: '/workspace',
      title: 'Calling a tool.',
      model: 'gemini-2.5-pro',
      createdAt: Date.parse('2026-11-16T05:33:16.654Z'),
      updatedAt: Date.parse('2026-11-16T05:33:45.264Z'),
    });
  });

  it('has each message once, with thinking and tokens, although every resume writes all of them again', async () => {
    const session = await read();
    expect(
      session.messages.filter(({ role }) => role === 'user').map(({ text }) => text.split(' ')[0]?.trim()),
    ).toEqual(['use', 'second', 'write', 'bad']);
    expect(session.messages[1]).toMatchObject({
      text: 'Calling a tool.',
      thinking: 'let me see',
      timestamp: Date.parse('2026-11-16T05:33:17.094Z'),
      usage: { inputTokens: 200, cacheReadTokens: 1000, outputTokens: 34, totalTokens: 1234 },
    });
    expect(session.usage).toMatchObject({ inputTokens: 1400, outputTokens: 238 });
  });

  it('reads calls with their results', async () => {
    const calls = (await read()).messages.flatMap(({ toolCalls }) => toolCalls ?? []);
    expect(calls.map(({ toolName, output, isError }) => [toolName, output?.split('\n')[0], isError])).toEqual([
      ['run_shell_command', 'Output: hi', undefined],
      ['write_file', expect.stringContaining('Successfully created'), undefined],
      ['read_file', 'File not found: /workspace/none.txt', true],
    ]);
  });

  it('contains no vendor prompt', async () => {
    expect(readFileSync(recorded, 'utf8')).toContain('VENDOR PROMPT');
    expect(JSON.stringify(await read())).not.toContain('VENDOR PROMPT');
  });

  it('omits rewound messages', () => {
    const records = [said('a', 'user', 'one'), said('b', 'gemini', 'ONE'), said('c', 'user', 'two')];
    const session = parseSession(
      line(header, ...records, { $rewindTo: 'b' }, said('d', 'gemini', 'UNO')),
      'x.jsonl',
      [],
    );
    expect(session?.messages.map(({ text }) => text)).toEqual(['one', 'UNO']);
  });

  it('may be one JSON object, as earlier versions wrote them', () => {
    const whole = { ...header, messages: [said('a', 'user', 'one'), { id: 'b', type: 'gemini', content: 'ONE' }] };
    const session = parseSession(JSON.stringify(whole, null, 2), 'session-x.json', []);
    expect(session?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'one'],
      ['assistant', 'ONE'],
    ]);
    expect(session?.warnings).toBeUndefined();
  });

  it('skips broken lines', () => {
    const session = parseSession(
      `${line(header, said('a', 'user', 'one'))}\n{half\n${line(said('b', 'gemini', 'ONE'))}`,
      'x.jsonl',
      [],
    );
    expect(session).toMatchObject({ messages: [{ text: 'one' }, { text: 'ONE' }], warnings: ['line 3 is not JSON'] });
    expect(parseSession('{"no":"session"}', 'x.jsonl', [])).toBeNull();
  });

  it('deletes their logs and tool outputs', async () => {
    const gone = [put(`workspace/tool-outputs/session-${ID}/x.txt`), put(`workspace/logs/session-${ID}.jsonl`)];
    const kept = [put('workspace/tool-outputs/session-other/x.txt'), join(home, '.gemini/tmp/workspace/.project_root')];
    await sessionStore.remove?.({ path: file, stamp: '' });
    expect([file, ...gone].map((path) => existsSync(path))).toEqual([false, false, false]);
    expect(kept.map((path) => existsSync(path))).toEqual([true, true]);
  });
});
