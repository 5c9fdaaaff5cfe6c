import type { ResolvedRunOptions } from '@agent-mux/core';
import { makeResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapter } from '../../test/replay-pi.ts';

const ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';
describe('the launch', () => {
  const launch = (options: Partial<ResolvedRunOptions> = {}) =>
    adapter.buildSpawnArgs(makeResolvedOptions({ mode: 'rpc', approvalMode: 'yolo', ...options }));

  it('starts without a gate in yolo mode only', () => {
    expect(launch()).toMatchObject({ command: 'pi', args: ['--mode', 'rpc'] });
    expect(launch().files).toBeUndefined();
    for (const approvalMode of ['prompt', 'accept-edits', 'plan', 'deny'] as const) {
      const { args, files } = launch({ approvalMode, scratchDir: '/scratch' });
      expect(args.slice(-2)).toEqual(['-e', '/scratch/gate.ts']);
      expect(files?.['gate.ts']).toContain('tool_call');
    }
  });

  it('gives the prompt of a one-shot process on stdin and its attachments as files', () => {
    const attachments = [{ path: '/a/dot.png', mimeType: 'image/png', name: 'dot.png' }];
    const { args, stdin } = launch({ mode: 'json', prompt: '-x', attachments });
    expect(args).toEqual(['--mode', 'json', '@/a/dot.png']);
    expect(stdin).toBe('-x');
  });

  it.each([
    [{ sessionId: ID }, ['--session', ID]],
    [{ forkSessionId: ID }, ['--fork', ID]],
    [{ noSession: true }, ['--no-session']],
    [{ model: 'lab/scripted' }, ['--model', 'lab/scripted']],
    [{ thinkingEffort: 'xhigh' }, ['--thinking', 'xhigh']],
    [{ allowedTools: ['read', 'bash'] }, ['--tools', 'read,bash']],
    [{ deniedTools: ['bash'] }, ['--exclude-tools', 'bash']],
    [{ skills: ['/a', '/b'] }, ['--skill', '/a', '--skill', '/b']],
    [{ systemPrompt: 'Rhyme.' }, ['--append-system-prompt', '/scratch/system-prompt.md']],
    [{ systemPrompt: 'Rhyme.', systemPromptMode: 'replace' }, ['--system-prompt', '/scratch/system-prompt.md']],
  ] satisfies [Partial<ResolvedRunOptions>, string[]][])('%j', (options, expected) => {
    expect(launch({ scratchDir: '/scratch', ...options }).args.slice(2)).toEqual(expected);
  });

  it('keeps every system prompt in a file: pi would read one that is the path of a file from there', () => {
    for (const systemPrompt of ['/etc/hostname', '- be brief', 'x'.repeat(200_000)]) {
      const { args, files } = launch({ systemPrompt, scratchDir: '/scratch' });
      expect(args).toEqual(['--mode', 'rpc', '--append-system-prompt', '/scratch/system-prompt.md']);
      expect(files?.['system-prompt.md']).toBe(systemPrompt);
    }
  });

  it.each(['s1', '01a1e2eb', 'notes.jsonl', '/x/session.jsonl'])('takes no %j for the id of a session', (sessionId) => {
    expect(() => launch({ sessionId })).toThrow('sessionId: ');
    expect(() => launch({ forkSessionId: sessionId })).toThrow('forkSessionId: ');
  });

  it('refuses what pi does not have', () => {
    expect(() => launch({ nativePermissionMode: 'auto' })).toThrow(/no permission modes/);
  });

  it('takes its gate along to another place', () => {
    const elsewhere = launch({ approvalMode: 'prompt', invocation: { mode: 'docker', image: 'x' } });
    expect(Object.keys(elsewhere.files ?? {})).toEqual(['gate.ts']);
  });
});

describe('the surroundings', () => {
  it('keeps sessions by folder', () => {
    expect(adapter.sessionDir('/home/dev/my.app')).toMatch(/\.pi\/agent\/sessions\/--home-dev-my\.app--$/);
  });

  it('knows a login by its key or its file', async () => {
    expect(await adapter.detectAuth({ HOME: '/nowhere' })).toEqual({ status: 'unauthenticated' });
    expect(await adapter.detectAuth({ HOME: '/nowhere', OPENAI_API_KEY: 'x' })).toMatchObject({
      status: 'authenticated',
    });
  });
});
