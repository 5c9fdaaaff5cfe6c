import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { assertDeterministic, createParseContext, createResolvedOptions, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OPENCLAW_ACP } from './dialect.ts';
import { readOpenClawStderr } from './errors.ts';
import { openClawAdapter } from './index.ts';

const adapter = openClawAdapter;

const exec = (bytes: Buffer, code = 0) =>
  assertDeterministic((given) =>
    replayOneshot(adapter, bytes, { ...given, exit: { code, signal: null }, options: { mode: 'exec' } }),
  );

describe('openclaw agent exec --json', () => {
  const hello = readFileSync(new URL('./recordings/exec-hello.json', import.meta.url));

  it('reads a multi-line document when the process has ended', () => {
    expect(exec(hello).map(({ type }) => type)).toEqual(['session_start', 'cost', 'text_delta', 'turn_end']);
    expect(exec(hello)).toContainEqual({ type: 'text_delta', delta: expect.stringContaining('exec hello') });
  });

  it('counts tokens and money as reported', () => {
    expect(exec(hello)).toContainEqual(
      expect.objectContaining({
        type: 'cost',
        costUsd: 0.0045975,
        usage: {
          inputTokens: 1200,
          outputTokens: 34,
          cacheReadTokens: 1000,
          cacheCreationTokens: 50,
          totalTokens: 2284,
        },
      }),
    );
  });

  it.each([
    ['lab/scripted request failed (authentication failed, HTTP 401). Re-authenticate the provider.', 'auth_error'],
    ['Inline API key for provider "lab" is temporarily disabled after a provider auth/billing failure.', 'auth_error'],
    ['Context overflow: prompt too large for the model.', 'context_exceeded'],
    ['something else', 'error'],
  ])('classifies a failure: %s', (message, type) => {
    const document = JSON.stringify({ ok: false, status: 'error', error: { message, kind: 'x' } }, null, 2);
    expect(exec(Buffer.from(document), 1).map((event) => event.type)).toEqual(['session_start', type, 'turn_end']);
  });

  it.each([
    ['rate_limit: delayMs=30000', { type: 'rate_limit_error', retrying: true, retryAfterMs: 30_000 }],
    ['server_error: delayMs=7231', { type: 'retry', attempt: 1, maxAttempts: 9, delayMs: 7231, by: 'agent' }],
  ])('reports a retry from its log: %s', (reason, event) => {
    const context = createParseContext({ options: createResolvedOptions({ mode: 'exec' }), source: 'stderr' });
    const line = `\u001b[33m[agent/embedded]\u001b[39m \u001b[33mtransient same-model retry 1/9 for p/m reason=${reason}\u001b[39m`;
    expect([adapter.parseEvent(line, context)].flat().at(-1)).toMatchObject(event);
  });

  it('adds nothing if nothing was printed', () => {
    const context = createParseContext({ options: createResolvedOptions({ mode: 'exec' }) });
    expect(adapter.parseEnd?.(context, { code: 0, signal: null })).toEqual([]);
  });
});

describe('openclaw over ACP', () => {
  it('uses the start of the title as the tool name', () => {
    expect(OPENCLAW_ACP.toolName?.({ title: 'exec: command: echo hi' })).toBe('exec');
    expect(OPENCLAW_ACP.toolName?.({ title: 'x', _meta: { toolName: 'exec' } })).toBe('exec');
  });

  it('explains a missing gateway and reports a missing session', () => {
    const refused = '    "message": "Gateway not reachable at ws://127.0.0.1:18789 (ECONNREFUSED).",';
    expect(readOpenClawStderr(refused)).toMatchObject([{ message: expect.stringContaining('openclaw gateway run') }]);
    const missing = '    "message": "No session found: agent:main:amux:1",';
    expect(readOpenClawStderr(missing)).toMatchObject([{ code: 'SESSION_NOT_FOUND' }]);
    expect(readOpenClawStderr('[sqlite] slow "message": "x"')).toBeNull();
  });
});

describe('launch of openclaw', () => {
  const launch = (options: Parameters<typeof createResolvedOptions>[0]) =>
    adapter.buildSpawnArgs(createResolvedOptions({ mode: 'acp', ...options }));

  const calls = (options: Parameters<typeof createResolvedOptions>[0]) => {
    const [, , , ...said] = launch(options).args;
    return said.map((word, i) => (i % 2 === 0 ? word : JSON.parse(word)));
  };

  it.each([
    ['plan', 'read-only'],
    ['deny', 'read-only'],
    ['accept-edits', 'guarded'],
    ['yolo', 'full'],
    // The gate refuses it; if it gets here nevertheless, nothing may be changed.
    ['prompt', 'read-only'],
  ] as const)('creates the session for %s with permission mode %s, in the folder of the run', (approvalMode, mode) => {
    expect(calls({ approvalMode, cwd: '/x' })).toEqual([
      'sessions.create',
      expect.objectContaining({ permissionMode: mode, cwd: '/x' }),
    ]);
  });

  it('looks a session up before it is resumed, since a missing one would be created', () => {
    expect(calls({ sessionId: 'agent:main:amux:1', approvalMode: 'yolo' })).toEqual([
      'sessions.resolve',
      { key: 'agent:main:amux:1' },
      'sessions.create',
      expect.objectContaining({ key: 'agent:main:amux:1' }),
    ]);
  });

  it('starts no bridge when a call fails, and shows why on stderr', () => {
    const folder = mkdtempSync(join(tmpdir(), 'openclaw-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const script = join(folder, 'openclaw');
    writeFileSync(script, '#!/bin/sh\n[ "$1" = acp ] && echo bridge\necho "said $3"\n[ "$3" != sessions.resolve ]\n');
    chmodSync(script, 0o755);
    const start = (options: Parameters<typeof createResolvedOptions>[0]) => {
      const { command, args } = launch(options);
      const env = { PATH: [folder, process.env.PATH].join(delimiter) };
      return execFileSync(command, args, { env, encoding: 'utf8', stdio: 'pipe' });
    };
    expect(start({})).toMatch(/^bridge\n/);
    expect(() => start({ sessionId: 'x' })).toThrow(
      expect.objectContaining({ status: 1, stdout: '', stderr: 'said sessions.resolve\n' }),
    );
  });
});
