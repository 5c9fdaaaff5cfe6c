import { readFileSync } from 'node:fs';
import { assertDeterministic, makeParseContext, makeResolvedOptions, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { splitToolName } from '../shared/mcp-servers.ts';
import { clineAdapter } from './index.ts';

const adapter = clineAdapter;

function events(name: string, code = 0) {
  const bytes = readFileSync(new URL(`./recordings/${name}.jsonl`, import.meta.url));
  return assertDeterministic((given) =>
    replayOneshot(adapter, bytes, { ...given, exit: { code, signal: null }, options: { mode: 'json' } }),
  );
}

const types = (name: string, code?: number) => events(name, code).map(({ type }) => type);

describe('cline --json', () => {
  it('takes what is new of a text and not all of it again', () => {
    const said = events('hello').map((event) => (event.type === 'text_delta' ? event.delta : ''));
    expect(said).toContain(': ');
    expect(said.join('')).toBe('PONG: say hello');
  });

  it('names no session, for there is none in its output', () => {
    expect(events('hello')[0]).toEqual({ type: 'session_start', cwd: expect.any(String) });
  });

  it('ends a thought before the words that follow it, though it is told after them', () => {
    const seen = types('thinking');
    expect(seen.indexOf('thinking_stop')).toBeLessThan(seen.indexOf('text_delta'));
    expect(seen.filter((type) => type === 'thinking_stop')).toHaveLength(1);
  });

  it('counts the tokens of all requests once, and a cost of 0 as what it is', () => {
    const last = events('tool').findLast((event) => event.type === 'cost');
    expect(last).toMatchObject({
      scope: 'turn',
      costUsd: 0,
      model: 'scripted-model',
      usage: { inputTokens: 2400, outputTokens: 68, cacheReadTokens: 2000 },
    });
  });

  it('joins a call to its result', () => {
    expect(types('tool').filter((type) => type.startsWith('tool'))).toEqual([
      'tool_call_start',
      'tool_call_ready',
      'tool_output_delta',
      'tool_result',
    ]);
  });

  it('tells a command that failed, and one that nobody could be asked for', () => {
    expect(events('tool-error')).toContainEqual(
      expect.objectContaining({ type: 'tool_error', error: expect.stringContaining('No such file') }),
    );
    expect(events('approval')).toContainEqual(expect.objectContaining({ type: 'tool_error', denied: true }));
  });

  it.each([
    ['auth-error', 'auth_error'],
    ['drop', 'error'],
  ])('takes %s for what it is, once', (name, type) => {
    expect(types(name, 1).filter((seen) => seen === type)).toHaveLength(1);
    expect(events(name, 1).at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
  });

  it('does not tell on stderr again what stdout has told', () => {
    const context = makeParseContext({ options: makeResolvedOptions({ mode: 'json' }) });
    const line = '{"type":"error","message":"the socket was closed"}';
    expect(adapter.parseEvent(line, { ...context, source: 'stderr' })).toMatchObject([{ code: 'NETWORK_ERROR' }]);
    expect(adapter.parseEvent(line, { ...context, source: 'stderr' })).toEqual([]);
  });

  it('tells a tool of a given MCP server from its own', () => {
    expect(splitToolName('echo__say', ['echo'])).toEqual({ server: 'echo', tool: 'say' });
    expect(splitToolName('run_commands', ['echo'])).toBeUndefined();
  });
});

describe('launching cline', () => {
  const launch = (options: Parameters<typeof makeResolvedOptions>[0]) =>
    adapter.buildSpawnArgs(makeResolvedOptions({ mode: 'json', ...options }));

  it.each([
    ['yolo', ['--auto-approve=true']],
    ['deny', ['--auto-approve=false']],
    ['plan', ['--plan', '--auto-approve=false']],
    // The gate refuses it; should it come here nevertheless, nothing may run.
    ['prompt', ['--auto-approve=false']],
  ] as const)('says for %s what it may do, for without a word it may do all', (approvalMode, flags) => {
    const { args } = launch({ approvalMode });
    expect(args.filter((arg) => /plan|approve/.test(arg))).toEqual(flags);
  });

  it('starts no hub and waits for no answer in a file', () => {
    expect(launch({}).env).toMatchObject({ CLINE_SESSION_BACKEND_MODE: 'local', CLINE_TOOL_APPROVAL_MODE: '' });
  });

  it.each([
    ['hello', 'hello\n'],
    ['two words', 'two words'],
    ['--config=x y', ' --config=x y'],
  ])('gives the prompt %j as the last argument, so that it is no command and no option', (prompt, argument) => {
    expect(launch({ prompt }).args.slice(-2)).toEqual(['--', argument]);
  });

  it('gives a prompt that is too long for an argument by a file', () => {
    const prompt = `begin ${'x'.repeat(200_000)}`;
    const { command, args, files } = launch({ prompt });
    expect(command).toBe('sh');
    expect(Object.values(files ?? {})).toEqual([prompt]);
    expect(args.join('\0').length).toBeLessThan(2000);
  });
});
