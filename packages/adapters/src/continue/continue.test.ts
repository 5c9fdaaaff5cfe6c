import type { EventBody } from '@agent-mux/core';
import { createParseContext, createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { continueAdapter } from './index.ts';

const adapter = continueAdapter;

function run(lines: { stdout?: string[]; stderr?: string[] }, code = 0): EventBody[] {
  const context = createParseContext({ options: createResolvedOptions({ mode: 'print' }) });
  const read = (source: 'stdout' | 'stderr') =>
    (lines[source] ?? []).flatMap((line) => adapter.parseEvent(line, Object.assign(context, { source })) ?? []);
  return [...read('stdout'), ...read('stderr'), ...adapter.parseEnd!(context, { code, signal: null })];
}

describe('cn -p', () => {
  it('emits the lines of the answer unchanged, without the final newline', () => {
    const events = run({ stdout: ['one', '', '  two'] });
    const text = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
    expect(text).toBe('one\n\n  two');
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', status: 'completed' });
  });

  it.each([
    ['401 scripted 401', 'auth_error'],
    ['429 Rate limit reached', 'rate_limit_error'],
    ["400 This model's maximum context length is 128000 tokens.", 'context_exceeded'],
  ])('knows %s', (message, type) => {
    const events = run({ stderr: [JSON.stringify({ status: 'error', message })] }, 1);
    expect(events.map((event) => event.type)).toEqual([type, 'turn_end']);
    expect(events.at(-1)).toMatchObject({ status: 'failed' });
  });

  it('leaves a crash to the engine', () => {
    expect(run({ stderr: ['Segmentation fault'] }, 139)).toEqual([]);
  });
});

describe('launch of cn', () => {
  it('gives the model no tools unless everything is allowed', () => {
    const args = (approvalMode: 'deny' | 'yolo') =>
      adapter.buildSpawnArgs(createResolvedOptions({ mode: 'print', approvalMode })).args;
    expect(args('deny').slice(0, 2)).toEqual(['--ask', '*']);
    expect(args('yolo')).not.toContain('--ask');
  });

  it('passes prompt and system prompt in files, so that neither is taken for an option or a path', () => {
    const { args, files } = adapter.buildSpawnArgs(
      createResolvedOptions({ mode: 'print', prompt: '--version', systemPrompt: 'owner/package' }),
    );
    expect(Object.values(files ?? {})).toEqual(['--version', 'owner/package']);
    expect(args.join(' ')).not.toMatch(/--version|owner/);
  });
});
