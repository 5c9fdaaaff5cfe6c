import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS } from './amux.ts';

const options = { timeout: PATIENCE_MS };
const late = Date.now() + 86_400_000;

describe('amux quota', () => {
  it('shows what agents have told of their limits, and says where nothing is known', options, async () => {
    const place = newPlace();
    expect(await amux(place, ['quota'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing is known'),
    });
    const folder = join(place.home, '.local/state/agent-mux/quota');
    mkdirSync(folder, { recursive: true });
    const windows = [
      { window: 'five_hour', usedPercent: 91, resetsAt: late, exhausted: false },
      { window: 'seven_day', usedPercent: null, resetsAt: late, exhausted: true },
    ];
    const told = { agent: 'claude', limited: true, windows, earliestResetAt: late, asOf: Date.now() };
    writeFileSync(join(folder, 'claude.json'), JSON.stringify({ schema: 'agent-mux.quota/1', ...told }));
    const { stdout } = await amux(place, ['quota', 'claude', 'codex']);
    expect(stdout).toMatch(/^claude +five_hour +91% +open +in 1 day, at 20\d\d-.+ 20/m);
    expect(stdout).toMatch(/^claude +seven_day +- +used up +in 1 day, at 20/m);
    expect(stdout).toContain('nothing is known of the limits of codex');
    expect(JSON.parse((await amux(place, ['quota', '--json'])).stdout)).toEqual({ agents: [told], accounts: [] });
    expect((await amux(place, ['quota', 'nobody'])).code).not.toBe(0);
  });
});
