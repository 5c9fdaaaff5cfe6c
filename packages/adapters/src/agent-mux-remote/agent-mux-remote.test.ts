import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentEvent, createClient, listProcessTree, type RunOptions } from '@agent-mux/core';
import { assertEventOrder } from '@agent-mux/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { demoAdapter } from '../demo/index.ts';
import { agentMuxRemoteAdapter } from './index.ts';

const MAIN = fileURLToPath(new URL('../../../cli/bin/amux.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agent-mux-remote-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A second amux as a real process; its output is saved. */
const printed = join(folder, 'printed');
const bin = join(folder, 'amux');
const run = `"${process.execPath}" "${MAIN}" "$@"`;
writeFileSync(bin, `#!/bin/sh\nexec ${run} > >(tee "${printed}")\n`.replace('#!/bin/sh', '#!/bin/bash'));
chmodSync(bin, 0o755);
const env = {
  PATH: [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
  HOME: folder,
  DEMO_SPEED: '0',
};

const client = createClient({ adapters: [agentMuxRemoteAdapter, demoAdapter], runIndex: false, env });
afterAll(() => client.close());

function start(options: Partial<RunOptions>) {
  const given = { agent: 'agent-mux-remote', cwd: folder, approvalMode: 'yolo', prompt: 'hello', ...options } as const;
  return client.run({ ...given, env: { AMUX_REMOTE_AGENT: 'demo', ...options.env } });
}

async function eventsOf(handle: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of handle) events.push(event);
  assertEventOrder(events);
  return events;
}

describe('remote amux', { timeout: 90_000 }, () => {
  it('passes its events through unchanged, including seq', async () => {
    const handle = start({ prompt: 'write hello.txt' });
    const events = await eventsOf(handle);
    const lines = readFileSync(printed, 'utf8').trim().split('\n');
    expect(events.map((event) => JSON.stringify(event))).toEqual(lines.slice(0, -1));
    expect(new Set(events.map(({ agent }) => agent))).toEqual(new Set(['demo']));
    expect(events.every(({ runId }) => runId === handle.runId)).toBe(true);
    const theirs = JSON.parse(lines.at(-1) ?? '');
    const ours = await handle;
    for (const field of ['text', 'sessionId', 'model', 'usage', 'costUsd', 'exitReason', 'error', 'turnCount'] as const)
      expect(ours[field]).toEqual(theirs[field]);
  });

  it('resumes a session on the remote host', async () => {
    const first = await start({});
    const second = start({ sessionId: first.sessionId ?? undefined, model: 'demo-small' });
    expect(await eventsOf(second)).toContainEqual(expect.objectContaining({ type: 'session_resume' }));
    expect(await second).toMatchObject({ sessionId: first.sessionId, exitReason: 'completed' });
  });

  it('ends as the remote agent ended', async () => {
    const handle = start({ prompt: 'fail crash' });
    const events = await eventsOf(handle);
    expect(events.at(-1)).toMatchObject({ type: 'session_end', reason: 'crashed' });
    expect(await handle).toMatchObject({ exitReason: 'crashed', error: { code: 'AGENT_CRASH' }, exitCode: 12 });
  });

  it('reports why the remote amux refused, without starting anything', async () => {
    const refused = start({ systemPrompt: 'be brief' });
    await eventsOf(refused);
    expect(await refused).toMatchObject({ error: { code: 'CAPABILITY_ERROR' } });
    const unknown = await start({ env: { AMUX_REMOTE_AGENT: 'no-such-agent' } });
    expect(unknown.error).toMatchObject({ code: 'UNKNOWN_AGENT', message: expect.stringContaining('no-such-agent') });
  });

  it('aborts the whole remote process tree', async () => {
    const handle = start({ prompt: 'fail hang' });
    await new Promise<void>((resolve) => handle.once('turn_start', () => resolve()));
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
    expect(listProcessTree(-1, handle.runId)).toEqual([]);
    const left = spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' }).stdout;
    expect(left.split('\n').filter((line) => line.includes(handle.runId))).toEqual([]);
  });

  it('is not installed if the command is missing', async () => {
    const other = createClient({ adapters: [agentMuxRemoteAdapter], runIndex: false, env: { PATH: '/nowhere' } });
    const attempt = other.run({ agent: 'agent-mux-remote', prompt: 'x', approvalMode: 'yolo', cwd: folder }).result;
    await expect(attempt).rejects.toMatchObject({ code: 'AGENT_NOT_INSTALLED' });
    await other.close();
  });
});
