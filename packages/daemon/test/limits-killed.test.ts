import type { Message } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { useMachines } from './daemons.ts';

const machines = useMachines();
/** Timeouts that also work on a busy machine. */
const PATIENT = { timeout: 60_000, interval: 100 };
const continuations = (messages: readonly Message[]) => messages.filter(({ id }) => id.startsWith('continue-'));

describe('daemon killed while sessions wait for a limit', () => {
  it('continues each session once and one after the other after the restart', {
    timeout: 300_000,
  }, async () => {
    const machine = await machines.start({ onLimit: 'continue', continuation: { stagger: '3s' } });
    // Long enough for everything in between.
    const reset = Date.now() + 40_000;
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) {
      const { id } = await machine.client.sessions.create({
        agent: 'demo',
        cwd: machine.work,
        prompt: `hello, and fail rate limit until ${reset}`,
        options: { approvalMode: 'yolo' },
      });
      ids.push(id);
    }
    // The first is refused; the others may be in flight, or wait for the account.
    await machine.until(ids[0] ?? '', ({ limit }) => limit?.state === 'scheduled');
    await machine.kill();
    await machine.start();
    const { limit } = await machine.client.sessions.get(ids[0] ?? '');
    expect(limit).toMatchObject({ state: 'scheduled', continuesAt: expect.any(Number) });
    const isOver = async () => {
      const rows = await Promise.all(ids.map((id) => machine.client.sessions.get(id)));
      return rows.every((row) => row.activity === 'idle' && row.summary?.includes('Hello') && row.queuedMessages === 0);
    };
    // Kills at arbitrary times: before, at and after each decision.
    await expect.poll(() => Date.now(), PATIENT).toBeGreaterThan(reset);
    for (let kills = 0; kills < 5 && !(await isOver()); kills++) {
      await machine.kill();
      await machine.start();
      const pause = Date.now() + 400 + kills * 350;
      await expect.poll(() => Date.now(), PATIENT).toBeGreaterThan(pause);
    }
    await expect.poll(isOver, PATIENT).toBe(true);
    for (const id of ids) {
      const messages = await machine.client.sessions.messages(id);
      expect(continuations(messages).length).toBeLessThanOrEqual(1);
      expect(messages.every(({ state }) => state === 'completed')).toBe(true);
      const events = await machine.events(id);
      const received = events.flatMap((event) => (event.type === 'user_message' ? [event.messageId] : []));
      expect(new Set(received).size).toBe(received.length);
    }
    expect(continuations(await machine.client.sessions.messages(ids[0] ?? ''))).toHaveLength(1);
  });
});
