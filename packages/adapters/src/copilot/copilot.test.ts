import { readFileSync } from 'node:fs';
import { assertDeterministic, createParseContext, createResolvedOptions, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { readCopilotProse } from './errors.ts';
import { copilotAdapter } from './index.ts';
import { sessionIdOf } from './launch.ts';
import { copilotProfile } from './profile.ts';

const adapter = copilotAdapter;

function events(name: string, code = 0) {
  const bytes = readFileSync(new URL(`./recordings/${name}.jsonl`, import.meta.url));
  return assertDeterministic((options) =>
    replayOneshot(adapter, bytes, { ...options, exit: { code, signal: null }, options: { mode: 'json', runId: 'r1' } }),
  );
}

const types = (name: string, code?: number) => events(name, code).map(({ type }) => type);

describe('exit code of a command', () => {
  it('is read from the contents of the result, where 1.0.79 has it', () => {
    const result = { content: 'broken', contents: [{ type: 'shell_exit', exitCode: 3 }] };
    const line = JSON.stringify({
      type: 'tool.execution_complete',
      data: { toolCallId: 't1', success: true, result },
    });
    expect(
      adapter.parseEvent(line, createParseContext({ options: createResolvedOptions({ mode: 'json' }) })),
    ).toContainEqual(expect.objectContaining({ type: 'tool_error', error: 'broken' }));
  });
});

describe('model of an ACP conversation', () => {
  it('is also set by the environment variable, which 1.0.79 requires', () => {
    const env = (mode: string) => adapter.buildSpawnArgs(createResolvedOptions({ mode, model: 'other' })).env;
    expect([env('acp'), env('json')]).toEqual([{ COPILOT_MODEL: 'other' }, {}]);
  });
});

describe('copilot --output-format json', () => {
  it('starts the session with the id from its launch, before anything else', () => {
    const id = sessionIdOf(createResolvedOptions({ runId: 'r1' }));
    expect(events('hello')[0]).toMatchObject({ type: 'session_start', sessionId: id });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('streams text and ends the turn once', () => {
    expect(types('hello').filter((type) => type === 'turn_end')).toHaveLength(1);
    expect(types('hello')).toContain('text_delta');
    expect(events('hello').find((event) => event.type === 'message_start')).toMatchObject({ model: 'scripted-model' });
  });

  it('shows a tool call with its input deltas, and its result with the exit code', () => {
    expect(types('tool').filter((type) => type.startsWith('tool') && type !== 'tool_output_delta')).toEqual([
      'tool_call_start',
      'tool_input_delta',
      'tool_call_ready',
      'tool_result',
    ]);
    expect(events('tool').find((event) => event.type === 'tool_result')).toMatchObject({ exitCode: 0 });
  });

  it('reports a failed command as a tool error, though the CLI calls it a success', () => {
    expect(types('tool-error')).toContain('tool_error');
  });

  it('reports a tool of an MCP server with its server', () => {
    expect(events('mcp')).toContainEqual(
      expect.objectContaining({ type: 'mcp_tool_call_start', server: 'echo', toolName: 'say', input: { text: 'yo' } }),
    );
    expect(types('mcp')).not.toContain('tool_call_start');
  });

  it('emits thinking', () => {
    expect(types('thinking')).toContain('thinking_delta');
  });

  it('recognizes a bad key, and a rate limit at the first failed call', () => {
    expect(types('auth-error', 1)).toContain('auth_error');
    expect(events('auth-error', 1).at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
    expect(events('rate-limit', 1).find((event) => event.type === 'rate_limit_error')).toMatchObject({
      retrying: true,
    });
  });

  it('ends an aborted turn as interrupted', () => {
    expect(types('abort')).toContain('interrupted');
    expect(events('abort').at(-1)).toMatchObject({ type: 'turn_end', status: 'interrupted' });
  });
});

describe('prose of copilot over ACP', () => {
  it('is an error if it says so', () => {
    const prose = 'Error: Authentication failed with provider at http://127.0.0.1:1/v1 (HTTP 401).';
    expect(readCopilotProse(prose)).toMatchObject([{ type: 'auth_error' }]);
  });

  it('voids the streamed text on a retry', () => {
    const prose = 'Info: Request failed due to a transient API error. Retrying...';
    expect(readCopilotProse(prose)?.map(({ type }) => type)).toEqual(['message_discard', 'retry']);
  });

  it('is left alone if it is model output', () => {
    expect(readCopilotProse('Information: here it is')).toBeNull();
  });
});

describe('install methods of copilot', () => {
  it.each([
    ['linux', ['npm', 'curl', 'brew']],
    ['darwin', ['npm', 'curl', 'brew']],
    ['win32', ['npm', 'winget']],
  ] as const)('match its README on %s', (platform, ways) => {
    const here = adapter.installMethods!.filter(({ platforms }) => platforms === 'all' || platforms.includes(platform));
    expect(here.map(({ type }) => type)).toEqual(ways);
  });
});

describe('launch of copilot', () => {
  it('passes the prompt on stdin and allows nothing by default', () => {
    const { args, stdin } = adapter.buildSpawnArgs(
      createResolvedOptions({ mode: 'json', approvalMode: 'deny', prompt: '-x' }),
    );
    expect(stdin).toBe('-x');
    expect(args.join(' ')).not.toMatch(/allow|yolo/);
  });

  it.each(['acp', 'json'])('passes each skill as a separate plugin in %s', (mode) => {
    const skills = ['/skills/a', '/skills/b/SKILL.md'];
    const { args } = adapter.buildSpawnArgs(createResolvedOptions({ mode, approvalMode: 'deny', skills }));
    expect(args).toEqual(expect.arrayContaining(['--plugin-dir=/skills/a', '--plugin-dir=/skills/b']));
  });

  it('applies the defaults of a definition below the options of a run', () => {
    const config = copilotProfile.schema.parse({ model: 'a', denied_tools: ['shell'] });
    const defined = copilotProfile.create('mine', 'Mine', config);
    const options = defined.applyDefaults!(createResolvedOptions({ mode: 'json', model: 'b' }));
    const { args, command } = defined.buildSpawnArgs(options);
    expect(command).toBe('copilot');
    expect(args.join(' ')).toContain('--model=b');
    expect(args.join(' ')).toContain('--deny-tool=shell');
  });
});
