import { readFileSync } from 'node:fs';
import { assertDeterministic, makeParseContext, makeResolvedOptions, replayOneshot } from '@agent-mux/testkit';
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

describe('the exit code of a command', () => {
  it('is found where 1.0.79 tells it, among the contents of the result', () => {
    const result = { content: 'broken', contents: [{ type: 'shell_exit', exitCode: 3 }] };
    const line = JSON.stringify({
      type: 'tool.execution_complete',
      data: { toolCallId: 't1', success: true, result },
    });
    expect(
      adapter.parseEvent(line, makeParseContext({ options: makeResolvedOptions({ mode: 'json' }) })),
    ).toContainEqual(expect.objectContaining({ type: 'tool_error', error: 'broken' }));
  });
});

describe('the model of a conversation over ACP', () => {
  it('is named by the variable too, which 1.0.79 alone heeds', () => {
    const env = (mode: string) => adapter.buildSpawnArgs(makeResolvedOptions({ mode, model: 'other' })).env;
    expect([env('acp'), env('json')]).toEqual([{ COPILOT_MODEL: 'other' }, {}]);
  });
});

describe('copilot --output-format json', () => {
  it('starts the session with the id that it was launched with, before anything else', () => {
    const id = sessionIdOf(makeResolvedOptions({ runId: 'r1' }));
    expect(events('hello')[0]).toMatchObject({ type: 'session_start', sessionId: id });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('streams text and ends the turn once', () => {
    expect(types('hello').filter((type) => type === 'turn_end')).toHaveLength(1);
    expect(types('hello')).toContain('text_delta');
    expect(events('hello').find((event) => event.type === 'message_start')).toMatchObject({ model: 'scripted-model' });
  });

  it('shows a tool call with its input as it comes, and its result with the exit code', () => {
    expect(types('tool').filter((type) => type.startsWith('tool') && type !== 'tool_output_delta')).toEqual([
      'tool_call_start',
      'tool_input_delta',
      'tool_call_ready',
      'tool_result',
    ]);
    expect(events('tool').find((event) => event.type === 'tool_result')).toMatchObject({ exitCode: 0 });
  });

  it('takes a command that failed for a tool error, though the CLI calls it a success', () => {
    expect(types('tool-error')).toContain('tool_error');
  });

  it('tells a tool of an MCP server with its server', () => {
    expect(events('mcp')).toContainEqual(
      expect.objectContaining({ type: 'mcp_tool_call_start', server: 'echo', toolName: 'say', input: { text: 'yo' } }),
    );
    expect(types('mcp')).not.toContain('tool_call_start');
  });

  it('shows thoughts', () => {
    expect(types('thinking')).toContain('thinking_delta');
  });

  it('knows a bad key, and a rate limit at the first failed call', () => {
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

describe('what copilot says over ACP in the voice of the model', () => {
  it('is an error when it says so', () => {
    const prose = 'Error: Authentication failed with provider at http://127.0.0.1:1/v1 (HTTP 401).';
    expect(readCopilotProse(prose)).toMatchObject([{ type: 'auth_error' }]);
  });

  it('voids what was streamed when it retries', () => {
    const prose = 'Info: Request failed due to a transient API error. Retrying...';
    expect(readCopilotProse(prose)?.map(({ type }) => type)).toEqual(['message_discard', 'retry']);
  });

  it('is left alone when it is the model', () => {
    expect(readCopilotProse('Information: here it is')).toBeNull();
  });
});

describe('installing copilot', () => {
  it.each([
    ['linux', ['npm', 'curl', 'brew']],
    ['darwin', ['npm', 'curl', 'brew']],
    ['win32', ['npm', 'winget']],
  ] as const)('has the ways of its README on %s', (platform, ways) => {
    const here = adapter.installMethods!.filter(({ platforms }) => platforms === 'all' || platforms.includes(platform));
    expect(here.map(({ type }) => type)).toEqual(ways);
  });
});

describe('launching copilot', () => {
  it('gives the prompt over stdin and allows nothing by itself', () => {
    const { args, stdin } = adapter.buildSpawnArgs(
      makeResolvedOptions({ mode: 'json', approvalMode: 'deny', prompt: '-x' }),
    );
    expect(stdin).toBe('-x');
    expect(args.join(' ')).not.toMatch(/allow|yolo/);
  });

  it.each(['acp', 'json'])('gives each skill as a plugin of its own in %s', (mode) => {
    const skills = ['/skills/a', '/skills/b/SKILL.md'];
    const { args } = adapter.buildSpawnArgs(makeResolvedOptions({ mode, approvalMode: 'deny', skills }));
    expect(args).toEqual(expect.arrayContaining(['--plugin-dir=/skills/a', '--plugin-dir=/skills/b']));
  });

  it('applies the defaults of a definition beneath the options of a run', () => {
    const config = copilotProfile.schema.parse({ model: 'a', denied_tools: ['shell'] });
    const defined = copilotProfile.create('mine', 'Mine', config);
    const options = defined.fillOptions!(makeResolvedOptions({ mode: 'json', model: 'b' }));
    const { args, command } = defined.buildSpawnArgs(options);
    expect(command).toBe('copilot');
    expect(args.join(' ')).toContain('--model=b');
    expect(args.join(' ')).toContain('--deny-tool=shell');
  });
});
