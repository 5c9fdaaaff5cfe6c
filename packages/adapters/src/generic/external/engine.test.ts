import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, RunHandle } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { define, eventsOf, script, typed, useEngine } from '../../../test/engine.ts';
import { externalProfile } from './index.ts';

const PYTHON_AGENT = fileURLToPath(new URL('../../../../../examples/external-python/agent.py', import.meta.url));

/** Reports its pid and the messages about its sessions, and asks on request. */
const REPORTER = `
  let watcher;
  const say = (m) => console.log(JSON.stringify(m));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const m = JSON.parse(line);
    const out = (content) => say({ type: 'output', session_id: m.session_id, content });
    if (m.type === 'user.input' && m.content === 'ask') {
      say({ type: 'permission.request', session_id: m.session_id, request_id: 'r1', tool: 'write', kind: 'edit', description: 'Write' });
      return;
    }
    if (m.type === 'user.input' && m.content === 'watch') watcher = m.session_id;
    if (m.type === 'session.close' && watcher && watcher !== m.session_id) {
      say({ type: 'output', session_id: watcher, content: 'closed ' + m.session_id });
      say({ type: 'turn.complete', session_id: watcher });
    }
    if (m.type === 'user.input' && m.content === 'die') {
      console.error('last words');
      process.exit(9);
    }
    if (m.type === 'user.input' && m.content === 'mumble') console.log('mumble\\n{"type":"later","session_id":"' + m.session_id + '"}');
    if (m.type === 'user.input' && m.content.startsWith('give ')) say({ type: 'file.output', session_id: m.session_id, file_path: m.content.slice(5) });
    if (m.type === 'user.input' && m.content === 'strays') {
      say({ type: 'output', session_id: 'unknown', content: 'astray' });
      say({ type: 'output', content: 'for whom' });
      say({ type: 'output', session_id: 'gone', content: 'too late' });
    }
    if (m.type === 'user.input' && m.content === 'flood') for (let i = 0; i < 50000; i++) out(i + ' ');
    if (m.type === 'user.input') out('pid ' + process.pid);
    if (m.type === 'permission.response') out('approved ' + m.approved);
    if (m.type === 'user.input' || m.type === 'permission.response') say({ type: 'turn.complete', session_id: m.session_id });
  });`;

const engine = useEngine(() => [
  define(externalProfile, 'todo', { command: 'python3', args: [PYTHON_AGENT] }),
  define(externalProfile, 'reporter', script(REPORTER)),
]);

const run = (agent: string, prompt: string, more = {}) => engine.client.run({ agent, prompt, ...more });
const turnEnd = (handle: RunHandle) => new Promise<AgentEvent>((resolve) => handle.once('turn_end', resolve));

describe('external profile', () => {
  it('serves two sessions at once with one process and keeps them apart', async () => {
    const first = run('reporter', 'x', { interactive: true });
    const second = run('reporter', 'x', { interactive: true });
    await Promise.all([turnEnd(first), turnEnd(second)]);
    expect(first.text).toMatch(/^pid \d+$/);
    expect(second.text).toBe(first.text);

    const lists = [run('todo', 'add milk', { interactive: true }), run('todo', 'add bread', { interactive: true })];
    const items = await Promise.all(
      lists.map(async (handle) => {
        await turnEnd(handle);
        await handle.send('list');
        await turnEnd(handle);
        return (await handle.end()).text;
      }),
    );
    expect(items).toEqual(['- milk ', '- bread ']);
    await Promise.all([first.end(), second.end()]);
  });

  it('serves one run after another with one process, which ends with the client or is replaced after a kill', async () => {
    const pids = [await run('reporter', 'x'), await run('reporter', 'x')].map(({ text }) => Number(text.slice(4)));
    expect(pids[1]).toBe(pids[0]);
    process.kill(pids[0] ?? 0, 'SIGKILL');
    const [third] = [await run('reporter', 'x')].map(({ text }) => Number(text.slice(4)));
    expect(third).not.toBe(pids[0]);
    await engine.client.close();
    expect(() => process.kill(third ?? 0, 0)).toThrow(/ESRCH/);
  });

  it('lets a reader stall during 50,000 events of another session without losing any', async () => {
    const stalled = run('reporter', 'flood', { interactive: true });
    const reader = stalled[Symbol.asyncIterator]();
    await reader.next();
    const other = run('reporter', 'flood');
    let flowed = 0;
    for await (const event of other) if (event.type === 'text_delta') flowed += 1;
    expect(flowed).toBe(50_001);
    const heard: string[] = [];
    for (let at = await reader.next(); !at.done; at = await reader.next()) {
      if (at.value.type === 'text_delta') heard.push(at.value.delta);
      if (at.value.type === 'turn_end') void stalled.end();
    }
    expect(heard.slice(0, -1)).toEqual(Array.from({ length: 50_000 }, (_, i) => `${i} `));
  });

  it('reports messages for an unknown session and drops those for an ended one', async () => {
    await run('reporter', 'x', { runId: 'gone' });
    const handle = run('reporter', 'strays');
    const ignored = typed(await eventsOf(handle), 'debug').map(({ code, data }) => [code, data?.line]);
    expect(ignored).toEqual([
      ['malformed_line', expect.stringContaining('astray')],
      ['malformed_line', expect.stringContaining('for whom')],
    ]);
    expect((await handle).text).toMatch(/^pid/);
  });

  it('fails a turn that outputs a missing file', async () => {
    const handle = run('reporter', 'give nowhere.png');
    const events = await eventsOf(handle);
    expect(typed(events, 'file_output')).toEqual([]);
    expect(typed(events, 'error')).toMatchObject([
      { code: 'AGENT_ERROR', message: expect.stringContaining('nowhere.png') },
    ]);
    expect(typed(events, 'turn_end')).toMatchObject([{ status: 'failed' }]);
    expect(await handle).toMatchObject({ exitReason: 'failed', error: { code: 'AGENT_ERROR' } });
    writeFileSync(join(engine.cwd, 'here.png'), '');
    expect(await run('reporter', 'give here.png')).toMatchObject({ exitReason: 'completed' });
  });

  it('rejects a missing file, also in a later turn', async () => {
    const path = join(engine.cwd, 'data.csv');
    expect(() => run('reporter', 'x', { attachments: [{ path }] })).toThrow(/data\.csv does not exist/);
    const handle = run('reporter', 'x', { interactive: true });
    await turnEnd(handle);
    writeFileSync(path, '1');
    await handle.send('again', { attachments: [{ path }] });
    await turnEnd(handle);
    const late = Promise.resolve().then(() => handle.send('once more', { attachments: [{ path: `${path}.gone` }] }));
    await expect(late).rejects.toThrow(/data\.csv\.gone does not exist/);
    await handle.end();
  });

  it('uses separate processes for runs in other folders or with other variables', async () => {
    const runs = [run('reporter', 'x'), run('reporter', 'x', { cwd: '/' }), run('reporter', 'x', { env: { A: 'b' } })];
    const texts = (await Promise.all(runs)).map(({ text }) => text);
    expect(new Set(texts).size).toBe(3);
  });

  it.each([
    ['granted', { onApprovalRequest: () => ({ decision: 'allow' }) }, 'approved true', 'caller'],
    ['denied', { onApprovalRequest: () => ({ decision: 'deny' }) }, 'approved false', 'caller'],
    ['unanswered', { approvalTimeout: 200 }, 'approved false', 'timeout'],
    ['decided by the mode yolo', { approvalMode: 'yolo' }, 'approved true', 'policy'],
    ['decided by the mode accept-edits', { approvalMode: 'accept-edits' }, 'approved true', 'policy'],
    ['decided by the mode plan', { approvalMode: 'plan' }, 'approved false', 'policy'],
    ['decided by the mode deny', { approvalMode: 'deny' }, 'approved false', 'policy'],
  ])('answers a permission that is %s', async (_, options, text, by) => {
    const handle = run('reporter', 'ask', options);
    const events = await eventsOf(handle);
    expect(await handle).toMatchObject({ exitReason: 'completed', text });
    expect(typed(events, 'approval_resolved')).toMatchObject([{ requestId: 'r1', by }]);
  });

  it('answers an open permission also when the turn is stopped', async () => {
    const handle = run('reporter', 'ask', { interactive: true });
    await new Promise<void>((resolve) => handle.once('approval_request', () => resolve()));
    await handle.interrupt();
    expect(handle.text).toBe('approved false');
    await handle.end();
  });

  it('notifies the adapter of an aborted session while others continue', async () => {
    const other = run('reporter', 'watch', { interactive: true });
    await turnEnd(other);
    const heard = new Promise<string>((resolve) => other.once('text_delta', ({ delta }) => resolve(delta)));
    const aborted = run('reporter', 'ask', { runId: 'aborted-one' });
    await new Promise<void>((resolve) => aborted.once('approval_request', () => resolve()));
    await aborted.abort();
    expect(await heard).toBe('closed aborted-one');
    await other.end();
  });

  it('carries files in and out, and writes only after permission', async () => {
    const list = join(engine.cwd, 'list.txt');
    writeFileSync(list, 'eggs\n');
    const handle = run('todo', 'save', {
      attachments: [{ path: list }],
      onApprovalRequest: () => ({ decision: 'allow' }),
    });
    const [file] = typed(await eventsOf(handle), 'file_output');
    expect(file).toMatchObject({ fileName: 'todo.md', mimeType: 'text/markdown', path: join(engine.cwd, 'todo.md') });
    expect(readFileSync(join(engine.cwd, 'todo.md'), 'utf8')).toBe('- eggs\n');
  });

  it('can be interrupted and continues the session', async () => {
    const handle = run('todo', 'count 100000', { interactive: true });
    await new Promise<void>((resolve) => handle.once('text_delta', () => resolve()));
    await handle.interrupt();
    await handle.send('still here?');
    await turnEnd(handle);
    expect(await handle.end()).toMatchObject({ exitReason: 'completed', text: 'You said: still here? ', turnCount: 2 });
  });

  it('reports unknown messages as debug events', async () => {
    const handle = run('reporter', 'mumble', { runId: 'm1' });
    const events = await eventsOf(handle);
    expect(typed(events, 'debug').map(({ code }) => code)).toEqual(['malformed_line', 'unknown_message']);
    expect((await handle).exitReason).toBe('completed');
  });

  it('ends every session of a process that dies, with its last output', async () => {
    const waiting = run('reporter', 'ask', { approvalTimeout: 0 });
    await new Promise<void>((resolve) => waiting.once('approval_request', () => resolve()));
    const results = await Promise.all([run('reporter', 'die'), waiting]);
    for (const result of results) expect(result).toMatchObject({ exitReason: 'crashed', exitCode: 9 });
    expect(typed(await eventsOf(waiting), 'crash')).toMatchObject([{ stderr: 'last words\n' }]);
  });
});
