import { makeResolvedOptions, only, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapter } from '../../test/replay-droid.ts';
import { launchDroid } from './launch.ts';

describe('how it is started', () => {
  it('gives the prompt on stdin, and names files after it', () => {
    const attachments = [{ path: '/n.txt', mimeType: 'text/plain', name: 'n.txt' }];
    const { args, stdin } = launchDroid(makeResolvedOptions({ mode: 'exec', prompt: '--help', attachments }));
    expect(stdin).toBe('--help\n\n/n.txt');
    expect(args).not.toContain('--help');
  });

  it('appends a system prompt by a file, and replaces its own only in a new session', () => {
    const replaced = { mode: 'stream-jsonrpc', systemPrompt: 'Rhyme.', systemPromptMode: 'replace' as const };
    const appended = launchDroid(makeResolvedOptions({ ...replaced, systemPromptMode: 'append', scratchDir: '/s' }));
    expect(appended.args).toEqual(expect.arrayContaining(['--append-system-prompt-file=/s/system-prompt.md']));
    expect(appended.files?.['system-prompt.md']).toBe('Rhyme.');
    expect(() => launchDroid(makeResolvedOptions({ ...replaced, sessionId: 'x' }))).toThrow(/only for a new session/);
  });

  it('makes plan updates of the list that the agent keeps', () => {
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
