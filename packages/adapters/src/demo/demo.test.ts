import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentEvent,
  type ApprovalMode,
  type Client,
  createClient,
  type RunHandle,
  type RunOptions,
} from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf } from '../../test/engine.ts';
import { demoAdapter } from './index.ts';

let home: string;
let cwd: string;
let client: Client;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agent-mux-demo-'));
  cwd = join(home, 'project');
  mkdirSync(cwd);
  const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(home, 'state'), DEMO_SPEED: '0' };
  client = createClient({ adapters: [demoAdapter], env, runIndex: false, defaults: { cwd } });
});
afterEach(async () => {
  await client.close();
  rmSync(home, { recursive: true, force: true });
});

const run = (prompt: string, options: Partial<RunOptions> = {}) => client.run({ agent: 'demo', prompt, ...options });
const allow: Partial<RunOptions> = { onApprovalRequest: () => ({ decision: 'allow' }) };
const hello = () => join(cwd, 'agent-mux-demo', 'hello.txt');

const typesOf = (events: readonly AgentEvent[]) => [...new Set(events.map(({ type }) => type))];
const sees = (handle: RunHandle, type: AgentEvent['type']) =>
  new Promise<void>((resolve) => handle.once(type, () => resolve()));

describe('demo agent', () => {
  it('gives a tour: thinks, plans, looks, asks, writes and reports its cost', async () => {
    writeFileSync(join(cwd, 'a.txt'), '');
    const handle = run('show me what you can do', allow);
    const events = await eventsOf(handle);
    expect(typesOf(events)).toEqual([
      'session_start',
      'turn_start',
      'message_start',
      'thinking_start',
      'thinking_delta',
      'plan_update',
      'thinking_stop',
      'text_delta',
      'message_stop',
      'tool_call_start',
      'tool_call_ready',
      'tool_result',
      'approval_request',
      'approval_resolved',
      'file_change',
      'cost',
      'turn_end',
      'session_end',
    ]);
    const result = await handle;
    expect(result).toMatchObject({ exitReason: 'completed', model: 'demo-1', costSource: 'reported' });
    expect(result.text).toContain('I see one entry here.');
    expect(result.costUsd).toBeGreaterThan(0);
    expect(readFileSync(hello(), 'utf8')).toBe('Hello from the demo agent.\n');
    const [change] = events.filter(({ type }) => type === 'file_change');
    expect(change).toMatchObject({ path: hello(), change: 'create' });
  });

  const modes: [ApprovalMode, Partial<RunOptions>, boolean][] = [
    ['prompt', allow, true],
    ['prompt', { onApprovalRequest: () => ({ decision: 'deny' }) }, false],
    ['accept-edits', {}, true],
    ['yolo', {}, true],
    ['plan', {}, false],
    ['deny', {}, false],
  ];
  it.each(modes)('writes in mode %s only where it may (%#)', async (approvalMode, options, written) => {
    const result = await run('write hello.txt', { approvalMode, ...options });
    expect(result.exitReason).toBe('completed');
    expect(existsSync(hello())).toBe(written);
  });

  it('asks before it runs a command even when edits are accepted', async () => {
    const events = await eventsOf(run('run something', { approvalMode: 'accept-edits', ...allow }));
    expect(events.filter(({ type }) => type === 'approval_request')).toMatchObject([{ kind: 'execute' }]);
    const denied = await eventsOf(run('run something', { approvalMode: 'deny' }));
    expect(denied.filter(({ type }) => type === 'tool_error')).toMatchObject([{ denied: true }]);
  });

  it('shows everything it would do in the request, and its change as a diff', async () => {
    const about = async (prompt: string) => {
      const events = await eventsOf(run(prompt, allow));
      const asked = events.find((event) => event.type === 'approval_request');
      const changed = events.find((event) => event.type === 'file_change');
      return { lines: asked?.summary?.map(({ kind, text }) => `${kind} ${text.trim()}`), diff: changed?.diff };
    };
    expect(await about('write hello.txt "one"')).toEqual({
      lines: ['field path: agent-mux-demo/hello.txt', 'field change of agent-mux-demo/hello.txt:', 'added one'],
      diff: '@@ -0,0 +1,1 @@\n+one\n',
    });
    expect(await about('append to hello.txt')).toEqual({
      lines: [
        'field path: agent-mux-demo/hello.txt',
        'field change of agent-mux-demo/hello.txt:',
        'same one',
        'added Another line.',
      ],
      diff: '@@ -1,1 +1,2 @@\n one\n+Another line.\n',
    });
    expect((await about('run something')).lines).toEqual(['field command: node --version']);
  });

  it('writes only below agent-mux-demo, whatever the prompt says', async () => {
    await run('write ../../escaped.txt', { approvalMode: 'yolo' });
    expect(readdirSync(home).sort()).toEqual(['project', 'state']);
    expect(readdirSync(join(cwd, 'agent-mux-demo'))).toEqual(['escaped.txt']);
    const outside = join(home, 'outside.txt');
    writeFileSync(outside, 'mine');
    symlinkSync(outside, join(cwd, 'agent-mux-demo', 'link.txt'));
    await run('write link.txt', { approvalMode: 'yolo' });
    expect(readFileSync(outside, 'utf8')).toBe('mine');
    expect(lstatSync(join(cwd, 'agent-mux-demo', 'link.txt')).isSymbolicLink()).toBe(true);
  });

  it('reads and edits its files and returns a report', async () => {
    await run('write hello.txt "first"', { approvalMode: 'yolo' });
    await run('append to hello.txt', { approvalMode: 'yolo' });
    expect((await run('read hello.txt')).text).toContain('first\nAnother line.');
    const events = await eventsOf(run('give me a report', { approvalMode: 'yolo' }));
    const [file] = events.filter(({ type }) => type === 'file_output');
    expect(file).toMatchObject({ fileName: 'report.md', path: join(cwd, 'agent-mux-demo', 'report.md') });
  });

  it('asks a question and accepts an answer or a refusal', async () => {
    const answered = await run('ask me a question', {
      onInputRequired: ({ questions }) => ({ answers: { [questions[0]?.id ?? '']: ['Ahoy'] } }),
    });
    expect(answered.text).toBe('Ahoy it is!\n');
    const declined = await run('ask me a question', { onInputRequired: () => ({ declined: true }) });
    expect(declined.text).toBe('No answer is an answer too.\n');
  });

  it('resumes a session by its id and leaves the original of a fork alone', async () => {
    const first = await run('hello');
    expect(first.sessionId).toEqual(expect.any(String));
    const sessionId = first.sessionId ?? '';
    const second = await run('what did I say before?', { sessionId });
    expect(second).toMatchObject({ sessionId, text: 'Before this you said: "hello".\n' });
    const fork = await run('what did I say before?', { forkSessionId: sessionId });
    expect(fork.sessionId).not.toBe(sessionId);
    expect(fork.text).toContain('"hello", "what did I say before?"');
    const third = await run('hello', { sessionId });
    expect(third.text).toContain('message 3');
  });

  it('stores no session if none is wanted, and reports a missing one', async () => {
    await run('hello', { noSession: true });
    expect(existsSync(join(home, 'state'))).toBe(false);
    expect(await run('hello', { sessionId: 'never-was' })).toMatchObject({
      exitReason: 'failed',
      error: { code: 'SESSION_NOT_FOUND' },
    });
  });

  it('keeps one conversation over several turns, with files', async () => {
    const note = join(cwd, 'note.txt');
    writeFileSync(note, 'x');
    const handle = run('hello', { attachments: [{ path: note }] });
    const texts: string[] = [];
    for await (const event of handle) {
      if (event.type !== 'turn_end') continue;
      texts.push(handle.text);
      if (event.turnIndex === 0) await handle.send('hello');
    }
    expect(texts[0]).toContain('Thank you for note.txt.');
    expect(texts[1]).toContain('Hello again!');
  });

  it.each([
    ['fail auth', 'auth_error', 'AUTH_ERROR'],
    ['fail rate limit', 'rate_limited', 'RATE_LIMITED'],
    ['fail context', 'context_exceeded', 'CONTEXT_EXCEEDED'],
    ['fail server', 'failed', 'SERVER_ERROR'],
    ['fail crash', 'crashed', 'AGENT_CRASH'],
  ])('fails on request: %s', async (prompt, exitReason, code) => {
    expect(await run(prompt)).toMatchObject({ exitReason, error: { code } });
  });

  it('survives its own broken tool and its own garbage', async () => {
    const broken = await eventsOf(run('fail tool'));
    expect(typesOf(broken)).toContain('tool_error');
    expect(broken.at(-1)).toMatchObject({ type: 'session_end', reason: 'completed' });
    expect(typesOf(await eventsOf(run('fail garbage')))).toContain('debug');
  });

  it('streams as much as requested', async () => {
    const events = await eventsOf(run('long 2000'));
    expect(events.filter(({ type }) => type === 'text_delta')).toHaveLength(2000);
  });

  it('resumes a session after a crash', async () => {
    const { sessionId } = await run('fail crash');
    expect(await run('hello', { sessionId: sessionId ?? '' })).toMatchObject({ exitReason: 'completed', sessionId });
  });

  it.each(['hang', 'slow'])('can be interrupted during "%s" and answers afterwards', async (prompt) => {
    const handle = run(prompt, { interactive: true });
    await sees(handle, 'text_delta');
    await handle.interrupt();
    await handle.send('hello');
    await sees(handle, 'turn_end');
    expect(await handle.end()).toMatchObject({ exitReason: 'completed', turnCount: 2 });
  });

  it('can be stopped while it waits for an approval, and writes nothing then', async () => {
    const handle = run('write hello.txt', { interactive: true });
    await sees(handle, 'approval_request');
    await handle.interrupt();
    expect(await handle.end()).toMatchObject({ exitReason: 'interrupted' });
    expect(existsSync(hello())).toBe(false);
  });

  it('is killed even if it ignores everything', async () => {
    const handle = run('hang hard');
    await sees(handle, 'text_delta');
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
  });

  it('refuses undeclared options before anything starts', async () => {
    expect(() => run('x', { systemPrompt: 'be brief' })).toThrow(/systemPrompt/);
    expect(() => run('x', { mcpServers: { a: { command: 'x' } } })).toThrow(/MCP/);
    await expect(run('x', { nativePermissionMode: 'x' }).result).rejects.toMatchObject({ code: 'CAPABILITY_ERROR' });
    const invocation = { mode: 'docker', image: 'x' } as const;
    await expect(run('x', { invocation }).result).rejects.toMatchObject({ code: 'CAPABILITY_ERROR' });
  });

  it('needs no install and no login', async () => {
    expect(await client.adapters.detect('demo')).toMatchObject({ installed: true, authState: 'authenticated' });
  });
});

describe('stored sessions of the demo agent', () => {
  it('are listed by folder and read back', async () => {
    const before = process.env.XDG_STATE_HOME;
    process.env.XDG_STATE_HOME = join(home, 'state');
    try {
      const { sessionId } = await run('hello');
      const adapter = demoAdapter;
      const files = await adapter.listSessionFiles(cwd);
      expect(files).toHaveLength(1);
      expect(await adapter.listSessionFiles('/other')).toEqual([]);
      const session = await adapter.parseSessionFile(files[0] ?? '');
      expect(session).toMatchObject({ agent: 'demo', sessionId, cwd, title: 'hello', model: 'demo-1' });
      expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
      const foreign = join(home, 'foreign.json');
      writeFileSync(foreign, '{}');
      await expect(adapter.parseSessionFile(foreign)).rejects.toMatchObject({ code: 'PARSE_ERROR' });
    } finally {
      if (before === undefined) delete process.env.XDG_STATE_HOME;
      else process.env.XDG_STATE_HOME = before;
    }
  });
});
