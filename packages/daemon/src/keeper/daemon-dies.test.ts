import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { journalBytes } from '../../test/journal-bytes.ts';
import { expectDense, live, message, ofType, PATIENT, say, sees, textOf, useKeepers } from '../../test/keepers.ts';
import type { LaunchSpec } from './protocol.ts';

const { home, start, connect } = useKeepers();

const hosts: ChildProcess[] = [];
afterEach(() => {
  for (const host of hosts.splice(0)) host.kill('SIGKILL');
});

/** Resolves to the last seq that the daemon had when it was killed. */
function killDaemonAfter(launch: LaunchSpec, events: number): Promise<number> {
  const host = fileURLToPath(new URL('../../test/hosts/daemon.ts', import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, host], { stdio: ['pipe', 'pipe', 'inherit'] });
  hosts.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (output.split('\n').length > events) child.kill('SIGKILL');
  });
  child.stdin.end(JSON.stringify(launch));
  return new Promise((resolve) => {
    child.on('close', () => resolve(Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1))));
  });
}

describe('keeper when the daemon is killed', () => {
  it('keeps running and sends the next daemon every event once, in order', async () => {
    const { launch, folder } = home();
    const given = launch({ message: message('m1', 'long 3000') });
    const last = await killDaemonAfter(given, 100);
    const next = await connect(folder(), { s1: last });
    await sees(next, 'turn_end');
    expectDense(next.events(), last + 1);
    const again = await connect(folder(), { s1: -1 });
    await sees(again, 'turn_end');
    expectDense(again.events());
    expect(textOf(again.events()).trim().split(/\s+/)).toEqual(Array.from({ length: 3000 }, (_, i) => `word-${i + 1}`));
    expect(again.connection.welcome.sessions).toMatchObject([{ sessionId: 's1', accepted: ['m1'], phase: 'idle' }]);
  });

  it('disconnects the previous daemon when another sends hello', async () => {
    const { launch, folder } = home();
    const first = await start(launch());
    await sees(first, 'turn_end');
    const second = await connect(folder(), { s1: first.last() });
    await expect.poll(() => first.isGone, PATIENT).toBe(true);
    await expect(first.connection.order({ type: 'interrupt', sessionId: 's1' })).rejects.toMatchObject({
      code: 'KEEPER_GONE',
    });
    await second.connection.order({ type: 'send', sessionId: 's1', message: message('m2', 'hello') });
    await sees(second, 'turn_end');
    expectDense(second.events(), first.last() + 1);
  });

  it('holds open requests until the next daemon answers them once, as offered', async () => {
    const { launch, folder } = home();
    const given = launch({ message: message('m1', 'write a file') });
    await killDaemonAfter(given, 1);
    const next = await connect(folder(), {});
    const request = await sees(next, 'approval_request');
    if (request.type !== 'approval_request') throw new Error('no request');
    expect(request.expiresAt).toBeUndefined();
    const { requestId } = request;
    const reconnected = await connect(folder(), { s1: next.last() });
    expect(reconnected.connection.welcome.sessions[0]).toMatchObject({ phase: 'turn', pending: [requestId] });
    const answer = (decision: 'allow' | 'deny', optionId?: string) =>
      reconnected.connection.order({
        ...{ type: 'answer', sessionId: 's1', requestId },
        answer: { decision, ...(optionId === undefined ? {} : { optionId }) },
      });
    await expect(answer('allow', 'never offered')).rejects.toMatchObject({ code: 'NOT_OFFERED' });
    await answer('allow');
    await expect(answer('deny')).rejects.toMatchObject({ code: 'REQUEST_CLOSED' });
    await sees(reconnected, 'turn_end');
    expect(ofType(reconnected, 'approval_resolved')).toMatchObject([{ requestId, outcome: 'allowed', by: 'caller' }]);
  });

  it('accepts an answer to a question or its rejection', async () => {
    const questions = [{ id: 'q', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], multiple: false }];
    const ask = {
      ...{ do: 'ask' as const, event: { type: 'input_required' as const, requestId: 'r-{{n}}', questions } },
      ...{ allowed: [say('{{answer}}')], denied: [say('declined')] },
    };
    const { launch } = home(live([ask]));
    const daemon = await start(launch());
    await sees(daemon, 'input_required');
    const order = (
      requestId: string,
      answer: { decision: 'answer'; answers: Record<string, string[]> } | { decision: 'decline' },
    ) => daemon.connection.order({ type: 'answer', sessionId: 's1', requestId, answer });
    await expect(order('r-0', { decision: 'answer', answers: { q: ['C'] } })).rejects.toMatchObject({
      code: 'NOT_OFFERED',
    });
    await order('r-0', { decision: 'answer', answers: { q: ['B'] } });
    await sees(daemon, 'turn_end');
    expect(textOf(daemon.events())).toContain('"B"');
    await daemon.connection.order({ type: 'send', sessionId: 's1', message: message('m2') });
    await sees(daemon, 'input_required', 2);
    await order('r-1', { decision: 'decline' });
    await sees(daemon, 'turn_end', 2);
    expect(textOf(daemon.events())).toContain('declined');
  });

  it('uses no memory for a daemon that does not read, and loses no events', async () => {
    // Several turns, since the engine holds the text of one turn for its result.
    const turns = 20;
    const lines = 5000;
    const { launch, folder } = home(live([say('ready')], [{ do: 'flood', lines, bytes: 2000 }]));
    const daemon = await start(launch());
    await sees(daemon, 'turn_end');
    const { pid } = daemon.connection.record;
    const before = memoryOf(pid);
    daemon.connection.pause();
    for (let turn = 0; turn < turns; turn += 1)
      void daemon.connection.order({ type: 'send', sessionId: 's1', message: message(`f${turn}`) }).catch(() => {});
    // A paused connection receives nothing, so read the size of the journal.
    await expect.poll(() => journalBytes(folder()), { timeout: 60_000 }).toBeGreaterThan(turns * lines * 2000);

    expect(memoryOf(pid) - before).toBeLessThan(140_000);
    daemon.connection.resume();
    // Two hundred megabytes, possibly on a slow machine.
    await expect.poll(() => ofType(daemon, 'turn_end').length, { timeout: 90_000 }).toBe(1 + turns);
    expectDense(daemon.events());
    expect(ofType(daemon, 'text_delta')).toHaveLength(1 + turns * lines);
  }, 180_000);
});

/** Kilobytes. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
