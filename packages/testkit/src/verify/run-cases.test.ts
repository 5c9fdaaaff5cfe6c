import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentMode,
  BaseAgentAdapter,
  type EventBody,
  modesOf,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { AgentSetup } from './agent-setup.ts';
import { verifyCases } from './cases/index.ts';
import { pathWith } from './environment.ts';
import { processesWithHome } from './processes.ts';
import { type CaseResult, runCases } from './run-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'verify-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A whole agent in a few lines: asks the model at TINY_URL once and prints its answer, or misbehaves as requested. */
const TINY_AGENT = `
import { spawn } from 'node:child_process';
let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
if (process.env.TINY_FAULT === 'leaves') {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore', env: { HOME: process.env.HOME, PATH: process.env.PATH } });
  child.unref();
}
if (process.env.TINY_FAULT === 'cuts') prompt = prompt.slice(0, 100);
const response = await fetch(process.env.TINY_URL + '/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer verify', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: prompt }] }),
});
const body = await response.json();
if (response.status === 200) console.log(JSON.stringify({ text: body.choices[0].message.content }));
else console.log(JSON.stringify({ failed: response.status, message: body.error.message }));
`;

const FAILURES: Readonly<Record<number, (message: string) => EventBody>> = {
  400: (message) => ({ type: 'context_exceeded', message }),
  401: (message) => ({ type: 'auth_error', message }),
  429: (message) => ({ type: 'rate_limit_error', message, retrying: false }),
  500: (message) => ({ type: 'error', code: 'SERVER_ERROR', message, recoverable: false }),
};

class TinyAdapter extends BaseAgentAdapter {
  readonly agent = 'tiny';
  readonly displayName = 'Tiny';
  readonly cliCommand = process.execPath;
  override readonly envAllowList = ['TINY_*'];
  override readonly modes: readonly AgentMode[] = [
    {
      name: 'oneshot',
      driver: 'oneshot',
      summary: 'once',
      capabilities: { ...NO_CAPABILITIES, approvalModes: ['yolo'] },
    },
  ];
  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const args = [join(folder, 'tiny.mjs')];
    return { command: process.execPath, args, env: {}, cwd: options.cwd, usePty: false, stdin: options.prompt };
  }
  parseEvent(line: string, _context: ParseContext): EventBody[] {
    const said = JSON.parse(line);
    if (typeof said.text === 'string') return [{ type: 'text_delta', delta: said.text }];
    return [FAILURES[said.failed]!(said.message), { type: 'turn_end', status: 'failed' }];
  }
}

const setupOf = (fault: string): AgentSetup => ({
  agent: 'tiny',
  cli: 'tiny',
  api: 'openai-chat',
  env: ({ modelUrl }) => ({ TINY_URL: modelUrl, TINY_FAULT: fault }),
  model: { name: 'tiny', seen: 'tiny' },
  otherModel: { name: 'tiny', seen: 'tiny' },
  shellTool: (command) => ({ name: 'sh', input: { command } }),
  writeTool: (path, content) => ({ name: 'write', input: { path, content } }),
});

async function verify(fault: string, ids: readonly string[]): Promise<Record<string, CaseResult>> {
  writeFileSync(join(folder, 'tiny.mjs'), TINY_AGENT);
  const adapter = new TinyAdapter();
  const results = await runCases({
    adapter,
    setup: setupOf(fault),
    mode: modesOf(adapter)[0]!,
    cases: verifyCases.filter(({ id }) => ids.includes(id)),
    folder: mkdtempSync(join(folder, 'group-')),
    path: pathWith([], process.env.PATH ?? ''),
  });
  return Object.fromEntries(results.map((result) => [result.case, result]));
}

describe('runCases', { timeout: 120_000 }, () => {
  it('passes an agent that does what its mode declares', async () => {
    const ids = [
      'hello',
      'unicode',
      'odd-characters',
      'dash-prompt',
      'prompt-200kb',
      'bad-key',
      'too-long',
      'server-error',
      'rate-limit',
      'refused',
    ];
    const results = await verify('', ids);
    expect(Object.values(results).filter(({ ok }) => !ok)).toEqual([]);
    expect(Object.keys(results).sort()).toEqual([...ids].sort());
  });

  it('reports what did not hold, and keeps the requests to the model', async () => {
    const { 'prompt-200kb': result } = await verify('cuts', ['prompt-200kb']);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('the model got 100 of') });
    expect(result?.story).toContain('session_start');
    const kept = join(result!.folder, 'model-requests.json');
    expect(existsSync(kept)).toBe(true);
  });

  it.runIf(process.platform === 'linux')('finds and ends a leftover process of a case', async () => {
    const { hello } = await verify('leaves', ['hello']);
    expect(hello).toMatchObject({ ok: false, error: expect.stringMatching(/left behind: \d+ sleep 300/) });
    const home = join(hello!.folder, '..', 'home');
    await vi.waitFor(() => expect(processesWithHome(home)).toEqual([]), { timeout: 10_000 });
  });
});
