import { readFileSync } from 'node:fs';
import { assertDeterministic, createParseContext, createResolvedOptions, replayOneshot } from '@agent-mux/testkit';
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
  it('emits only the new part of a text', () => {
    const said = events('hello').map((event) => (event.type === 'text_delta' ? event.delta : ''));
    expect(said).toContain(': ');
    expect(said.join('')).toBe('PONG: say hello');
  });

  it('reports no session id, since the output has none', () => {
    expect(events('hello')[0]).toEqual({ type: 'session_start', cwd: expect.any(String) });
  });

  it('ends thinking before the text that follows it, though it is reported later', () => {
    const seen = types('thinking');
    expect(seen.indexOf('thinking_stop')).toBeLessThan(seen.indexOf('text_delta'));
    expect(seen.filter((type) => type === 'thinking_stop')).toHaveLength(1);
  });

  it('counts the tokens of all requests once and reports a cost of 0', () => {
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

  it('reports a failed command and one that needed an approval', () => {
    expect(events('tool-error')).toContainEqual(
      expect.objectContaining({ type: 'tool_error', error: expect.stringContaining('No such file') }),
    );
    expect(events('approval')).toContainEqual(expect.objectContaining({ type: 'tool_error', denied: true }));
  });

  it.each([
    ['auth-error', 'auth_error'],
    ['drop', 'error'],
  ])('reports %s once', (name, type) => {
    expect(types(name, 1).filter((seen) => seen === type)).toHaveLength(1);
    expect(events(name, 1).at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
  });

  it('does not repeat on stderr what stdout reported', () => {
    const context = createParseContext({ options: createResolvedOptions({ mode: 'json' }) });
    const line = '{"type":"error","message":"the socket was closed"}';
    expect(adapter.parseEvent(line, { ...context, source: 'stderr' })).toMatchObject([{ code: 'NETWORK_ERROR' }]);
    expect(adapter.parseEvent(line, { ...context, source: 'stderr' })).toEqual([]);
  });

  it('distinguishes a tool of an MCP server from its own', () => {
    expect(splitToolName('echo__say', ['echo'])).toEqual({ server: 'echo', tool: 'say' });
    expect(splitToolName('run_commands', ['echo'])).toBeUndefined();
  });
});

describe('launch of cline', () => {
  const launch = (options: Parameters<typeof createResolvedOptions>[0]) =>
    adapter.buildSpawnArgs(createResolvedOptions({ mode: 'json', ...options }));

  it.each([
    ['yolo', ['--auto-approve=true']],
    ['deny', ['--auto-approve=false']],
    ['plan', ['--plan', '--auto-approve=false']],
    // The gate refuses it; if it gets here nevertheless, nothing may run.
    ['prompt', ['--auto-approve=false']],
  ] as const)('passes explicit permissions for %s, since the default allows everything', (approvalMode, flags) => {
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
  ])('passes the prompt %j as the last argument, never as a command or an option', (prompt, argument) => {
    expect(launch({ prompt }).args.slice(-2)).toEqual(['--', argument]);
  });

  it('passes a prompt that is too long for an argument in a file', () => {
    const prompt = `begin ${'x'.repeat(200_000)}`;
    const { command, args, files } = launch({ prompt });
    expect(command).toBe('sh');
    expect(Object.values(files ?? {})).toEqual([prompt]);
    expect(args.join('\0').length).toBeLessThan(2000);
  });
});
