import { createResolvedOptions, only, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapter } from '../../test/replay-droid.ts';
import { launchDroid } from './launch.ts';

describe('launch of Droid', () => {
  it('passes the prompt on stdin and lists files after it', () => {
    const attachments = [{ path: '/n.txt', mimeType: 'text/plain', name: 'n.txt' }];
    const { args, stdin } = launchDroid(createResolvedOptions({ mode: 'exec', prompt: '--help', attachments }));
    expect(stdin).toBe('--help\n\n/n.txt');
    expect(args).not.toContain('--help');
  });

  it('appends a system prompt by a file, and replaces the built-in one only in a new session', () => {
    const replaced = { mode: 'stream-jsonrpc', systemPrompt: 'Rhyme.', systemPromptMode: 'replace' as const };
    const appended = launchDroid(createResolvedOptions({ ...replaced, systemPromptMode: 'append', scratchDir: '/s' }));
    expect(appended.args).toEqual(expect.arrayContaining(['--append-system-prompt-file=/s/system-prompt.md']));
    expect(appended.files?.['system-prompt.md']).toBe('Rhyme.');
    expect(() => launchDroid(createResolvedOptions({ ...replaced, sessionId: 'x' }))).toThrow(/only in a new session/);
  });

  it('emits plan updates from the todo list of the agent', () => {
    const call = {
      type: 'tool_call',
      id: 'c',
      toolName: 'TodoWrite',
      parameters: { todos: '1. [completed] look\n2. [in_progress] write' },
    };
    expect(only(replayOneshot(adapter, Buffer.from(JSON.stringify(call))), 'plan_update')[0]?.entries).toEqual([
      { content: 'look', status: 'completed' },
      { content: 'write', status: 'in_progress' },
    ]);
  });
});
