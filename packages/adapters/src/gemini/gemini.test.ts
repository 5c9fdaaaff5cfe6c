import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CapabilityError, hostFiles } from '@agent-mux/core';
import { assertDeterministic, createParseContext, createResolvedOptions, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { geminiAdapter } from './index.ts';
import { assertDenialHolds } from './policy.ts';

const adapter = geminiAdapter;
const mcpServers = { echo: { command: 'node' } };

function events(name: string, exitCode = 0) {
  const bytes = readFileSync(new URL(`./recordings/${name}.jsonl`, import.meta.url));
  return assertDeterministic((options) =>
    replayOneshot(adapter, bytes, {
      ...options,
      exit: { code: exitCode, signal: null },
      options: { mode: 'stream-json', mcpServers },
    }),
  );
}

const types = (name: string, exitCode?: number) => events(name, exitCode).map(({ type }) => type);

describe('gemini -o stream-json', () => {
  it('streams a hello with its session, its usage and its end', () => {
    const all = events('hello');
    expect(all[0]).toMatchObject({ type: 'session_start', sessionId: expect.any(String), model: 'gemini-2.5-pro' });
    expect(all.at(-2)).toMatchObject({ type: 'cost', costUsd: null, usage: { inputTokens: 200, outputTokens: 34 } });
    expect(all.at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
  });

  it('shows a tool call with its input and its result', () => {
    expect(types('tool').filter((type) => type.startsWith('tool'))).toEqual([
      'tool_call_start',
      'tool_call_ready',
      'tool_result',
    ]);
    expect(events('tool')).toContainEqual(
      expect.objectContaining({
        type: 'tool_call_ready',
        toolName: 'run_shell_command',
        input: expect.objectContaining({ command: 'echo hi; env | sort' }),
      }),
    );
  });

  it('reports a failed command as a tool error, though the CLI calls it a success', () => {
    expect(types('tool-error')).toContain('tool_error');
  });

  it('recognizes a tool of an MCP server by the configured servers', () => {
    expect(events('mcp')).toContainEqual(
      expect.objectContaining({ type: 'mcp_tool_result', server: 'echo', toolName: 'say', output: 'mcp says yo' }),
    );
    expect(types('mcp')).not.toContain('tool_result');
  });

  it('reports a hidden tool as denied', () => {
    expect(events('approval-denied')).toContainEqual(expect.objectContaining({ type: 'tool_error', denied: true }));
  });

  it('recognizes a bad key and a rate limit by the provider error', () => {
    expect(types('auth-error', 145)).toContain('auth_error');
    expect(types('rate-limit', 173)).toContain('rate_limit_error');
  });

  it('recognizes an abort by the missing result', () => {
    expect(events('abort').at(-1)).toEqual({ type: 'turn_end', status: 'interrupted' });
  });

  it('recognizes the first retry after a 429 on stderr, long before anything is printed', () => {
    const context = createParseContext({ source: 'stderr' });
    const lines = readFileSync(new URL('./recordings/rate-limit-stderr.txt', import.meta.url), 'utf8').split('\n');
    const found = lines.flatMap((line) => adapter.parseEvent(line, context) ?? []);
    expect(found[0]).toMatchObject({
      type: 'rate_limit_error',
      retrying: true,
      message: expect.stringContaining('exhausted'),
    });
  });
});

describe('rate limit of gemini', () => {
  const stderr = (...lines: string[]) => {
    const context = createParseContext({ source: 'stderr' });
    return lines.flatMap((line) => adapter.parseEvent(line, context) ?? []);
  };
  const exhausted = 'You have exhausted your capacity on this model. Your quota will reset after';

  it('ends the CLI at once for every message format and keeps the reset time', () => {
    const wordings: string[][] = [
      [`Attempt 1 failed: ${exhausted} 5s.. Retrying after 6173ms...`],
      [
        `Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"error":{"message":"${exhausted} 5s."}}`,
      ],
      [
        'Attempt 1 failed with status 429. Retrying with backoff... GaxiosError: [{',
        '  "error": {',
        '    "code": 429,',
        `    "message": "${exhausted} 5s.",`,
      ],
      [`TerminalQuotaError: ${exhausted} 5s.`],
      [`    "message": "${exhausted} 5s.",`],
    ];
    for (const lines of wordings) {
      expect(stderr(...lines)).toEqual([
        { type: 'rate_limit_error', retrying: true, message: expect.stringContaining(`${exhausted} 5s.`) },
      ]);
    }
    expect(
      stderr('Attempt 2 failed: You have exhausted your daily quota on this model.. Max attempts reached'),
    ).toMatchObject([{ type: 'rate_limit_error', message: expect.stringContaining('daily quota') }]);
  });

  it('is reported even if the provider answer has no message', () => {
    const opening = 'Attempt 1 failed with status 429. Retrying with backoff... GaxiosError: [{';
    expect(stderr(opening, ...Array<string>(9).fill('  ...'))).toMatchObject([{ type: 'rate_limit_error' }]);
  });

  it('has the delay that the provider sends apart from its message', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '55.5s' }];
    const answer = JSON.stringify({ error: { code: 429, message: 'slow down', details } });
    expect(stderr(`Attempt 1 failed with status 429. Retrying with backoff... _ApiError: ${answer}`)).toEqual([
      { type: 'rate_limit_error', message: 'slow down', retryAfterMs: 55_500, retrying: true },
    ]);
  });

  it('is not another retry or another line', () => {
    expect(stderr('Attempt 1 failed with status 503. Retrying with backoff...')).toMatchObject([{ type: 'retry' }]);
    expect(stderr('Loaded cached credentials.')).toEqual([]);
    expect(stderr(`Error executing tool web_fetch: the page says: ${exhausted} 5s.`)).toEqual([]);
  });
});

describe('launch of gemini', () => {
  const launch = (options: Parameters<typeof createResolvedOptions>[0]) =>
    adapter.buildSpawnArgs(createResolvedOptions(options));

  it('passes the prompt on stdin, so that a leading dash is safe', () => {
    const spawn = launch({ mode: 'stream-json', prompt: '--help me', approvalMode: 'yolo' });
    expect(spawn.stdin).toBe('--help me');
    expect(spawn.args).not.toContain('--help me');
  });

  it.each([
    ['plan', 'plan'],
    ['deny', 'default'],
    ['accept-edits', 'auto_edit'],
    ['yolo', 'yolo'],
  ] as const)('starts approval mode %s as %s', (approvalMode, native) => {
    expect(launch({ mode: 'stream-json', approvalMode }).args.join(' ')).toContain(`--approval-mode=${native}`);
  });

  it('denies a tool with priority over everything the user allows', () => {
    const spawn = launch({ mode: 'acp', scratchDir: '/scratch', deniedTools: ['run_shell_command', 'odd"name'] });
    expect(spawn.args).toContain('--admin-policy=/scratch/policy.toml');
    expect(spawn.files?.['policy.toml']).toBe(
      '[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\npriority = 999\n\n' +
        '[[rule]]\ntoolName = "odd\\"name"\ndecision = "deny"\npriority = 999\n',
    );
  });

  it('rejects a denial that the CLI would ignore because of administrator policies', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gemini-policies-'));
    const denying = createResolvedOptions({ deniedTools: ['run_shell_command'] });
    await expect(assertDenialHolds(denying, hostFiles, folder)).resolves.toBeUndefined();
    writeFileSync(join(folder, 'company.toml'), '');
    await expect(assertDenialHolds(denying, hostFiles, folder)).rejects.toThrow(CapabilityError);
    await expect(assertDenialHolds(createResolvedOptions({}), hostFiles, folder)).resolves.toBeUndefined();
    rmSync(folder, { recursive: true });
  });

  it('passes every allowed tool and every folder with its own flag', () => {
    const { args } = launch({ mode: 'acp', allowedTools: ['read_file', 'glob'], addDirs: ['/one', '/two'] });
    expect(args).toEqual([
      '--acp',
      '--allowed-tools=read_file',
      '--allowed-tools=glob',
      '--include-directories=/one',
      '--include-directories=/two',
    ]);
  });

  it('refuses to allow a tool in plan mode, where it would run and change things', () => {
    expect(() => launch({ approvalMode: 'plan', allowedTools: ['run_shell_command'] })).toThrow(CapabilityError);
  });
});
