import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type AgentEvent, createClient } from '@agent-mux/core';
import { assertEventOrder } from '@agent-mux/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { agentMuxRemoteAdapter } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-mux-remote-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** An `amux` that prints the content of a file. */
const lines = join(folder, 'lines');
writeFileSync(join(folder, 'amux'), `#!/bin/sh\ncat >/dev/null\ncat '${lines}'\n`);
chmodSync(join(folder, 'amux'), 0o755);
const env = { PATH: [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), HOME: folder };
const client = createClient({ adapters: [agentMuxRemoteAdapter], runIndex: false, env });
afterAll(() => client.close());

let seq = 0;
const line = (body: { type: string; seq?: number; [field: string]: unknown }): string =>
  JSON.stringify({ agent: 'demo', runId: 'r', turnIndex: 0, timestamp: 1, ...body, seq: body.seq ?? seq++ });

/** Runs a remote that prints these lines in the middle of a turn. */
async function runWith(...odd: (() => string)[]) {
  seq = 0;
  const before = [line({ type: 'session_start', sessionId: 's' }), line({ type: 'turn_start', origin: 'user' })];
  const said = odd.map((print) => print());
  const after = [
    line({ type: 'message_start' }),
    line({ type: 'text_delta', delta: 'fine' }),
    line({ type: 'message_stop' }),
    line({ type: 'turn_end', status: 'completed' }),
    line({ type: 'session_end', reason: 'completed' }),
  ];
  writeFileSync(lines, `${[...before, ...said, ...after].join('\n')}\n`);
  expect(readFileSync(lines, 'utf8')).toContain('session_end');
  const handle = client.run({
    agent: 'agent-mux-remote',
    prompt: 'x',
    approvalMode: 'yolo',
    cwd: folder,
    env: { AMUX_REMOTE_AGENT: 'demo' },
  });
  const events: AgentEvent[] = [];
  for await (const event of handle) events.push(event);
  return { events, result: await handle };
}

const TYPES = [
  'text_delta',
  'thinking_delta',
  'tool_call_start',
  'tool_call_ready',
  'tool_result',
  'mcp_tool_result',
  'tool_error',
  'cost',
  'error',
  'auth_error',
  'rate_limit_error',
  'crash',
  'timeout',
  'aborted',
  'turn_end',
  'session_start',
  'message_start',
  'approval_request',
  'subagent_start',
  'debug',
  'unknown_type',
];

describe('misbehaving remote amux', { timeout: 60_000 }, () => {
  it.each(TYPES)('does not crash the host with an event that lacks its fields: %s', async (type) => {
    const { result } = await runWith(() => line({ type }));
    expect(result.runId).toBeTruthy();
  });

  it.each(TYPES)('does not crash the host with event fields of other types: %s', async (type) => {
    const odd = {
      delta: 7,
      usage: 'many',
      costUsd: {},
      message: [],
      reason: 3,
      status: {},
      toolCallId: null,
      model: [],
    };
    const { result } = await runWith(() => line({ type, ...odd, toolName: {}, sessionId: 5, requestId: {}, code: 1 }));
    expect(typeof result.text).toBe('string');
  });

  it.each([
    ['no object', () => '[1]'],
    ['a prototype', () => line({ type: 'text_delta', delta: 'x' }).replace('{', '{"__proto__":{"type":"x"},')],
    ['a type that is a prototype', () => line({ type: '__proto__' })],
    ['a half line', () => line({ type: 'text_delta', delta: 'x' }).slice(0, 30)],
    ['an invalid index', () => line({ type: 'debug', turnIndex: -1e300 })],
    ['an infinite number', () => line({ type: 'debug', seq: 1e308 })],
  ])('is read to its end after %s', async (_what, odd) => {
    const { result } = await runWith(odd);
    expect(result).toMatchObject({ exitReason: 'completed', text: expect.stringContaining('fine') });
  });

  it('does not repeat events when seq goes back', async () => {
    const { events, result } = await runWith(
      () => line({ type: 'debug', level: 'info', message: 'a', seq: 0 }),
      () => line({ type: 'session_start', sessionId: 'other', seq: 1 }),
    );
    assertEventOrder(events);
    expect(events.map((event) => event.seq)).toEqual([...events.map((event) => event.seq)].sort((a, b) => a - b));
    expect(result).toMatchObject({ sessionId: 's', text: 'fine', exitReason: 'completed' });
  });
});
