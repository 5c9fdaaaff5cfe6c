import type { ResolvedRunOptions } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapter } from '../../test/replay-pi.ts';

const ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';
describe('launch of pi', () => {
  const launch = (options: Partial<ResolvedRunOptions> = {}) =>
    adapter.buildSpawnArgs(createResolvedOptions({ mode: 'rpc', approvalMode: 'yolo', ...options }));

  it('starts without a gate only in yolo mode', () => {
    expect(launch()).toMatchObject({ command: 'pi', args: ['--mode', 'rpc'] });
    expect(launch().files).toBeUndefined();
    for (const approvalMode of ['prompt', 'accept-edits', 'plan', 'deny'] as const) {
      const { args, files } = launch({ approvalMode, scratchDir: '/scratch' });
      expect(args.slice(-2)).toEqual(['-e', '/scratch/gate.ts']);
      expect(files?.['gate.ts']).toContain('tool_call');
    }
  });

  it('passes the prompt of a one-shot process on stdin and its attachments as files', () => {
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

  it('puts every system prompt into a file: pi would read a text that is a path', () => {
    for (const systemPrompt of ['/etc/hostname', '- be brief', 'x'.repeat(200_000)]) {
      const { args, files } = launch({ systemPrompt, scratchDir: '/scratch' });
      expect(args).toEqual(['--mode', 'rpc', '--append-system-prompt', '/scratch/system-prompt.md']);
      expect(files?.['system-prompt.md']).toBe(systemPrompt);
    }
  });

  it.each(['s1', '01a1e2eb', 'notes.jsonl', '/x/session.jsonl'])('rejects %j as a session id', (sessionId) => {
    expect(() => launch({ sessionId })).toThrow('sessionId: ');
    expect(() => launch({ forkSessionId: sessionId })).toThrow('forkSessionId: ');
  });

  it('rejects options that pi does not have', () => {
    expect(() => launch({ nativePermissionMode: 'auto' })).toThrow(/no native permission modes/);
  });

  it('takes its gate along to a remote host', () => {
    const remote = launch({ approvalMode: 'prompt', invocation: { mode: 'docker', image: 'x' } });
    expect(Object.keys(remote.files ?? {})).toEqual(['gate.ts']);
  });
});

describe('auth and sessions of pi', () => {
  it('stores sessions by folder', () => {
    expect(adapter.sessionDir('/home/dev/my.app')).toMatch(/\.pi\/agent\/sessions\/--home-dev-my\.app--$/);
  });

  it('recognizes a login by its key or its file', async () => {
    expect(await adapter.detectAuth({ HOME: '/nowhere' })).toEqual({ status: 'unauthenticated' });
    expect(await adapter.detectAuth({ HOME: '/nowhere', OPENAI_API_KEY: 'x' })).toMatchObject({
      status: 'authenticated',
    });
  });
});
