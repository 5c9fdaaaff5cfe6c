import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };
const late = Date.now() + 86_400_000;

describe('amux quota', () => {
  it('shows reported limits, and says if none are known', options, async () => {
    const testHome = createTestHome();
    expect(await amux(testHome, ['quota'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no limits known'),
    });
    const folder = join(testHome.home, '.local/state/agent-mux/quota');
    mkdirSync(folder, { recursive: true });
    const windows = [
      { window: 'five_hour', usedPercent: 91, resetsAt: late, exhausted: false },
      { window: 'seven_day', usedPercent: null, resetsAt: late, exhausted: true },
    ];
    const reported = { agent: 'claude', limited: true, windows, earliestResetAt: late, asOf: Date.now() };
    writeFileSync(join(folder, 'claude.json'), JSON.stringify({ schema: 'agent-mux.quota/1', ...reported }));
    const { stdout } = await amux(testHome, ['quota', 'claude', 'codex']);
    expect(stdout).toMatch(/^claude +five_hour +91% +available +in 1 day, at 20\d\d-.+ 20/m);
    expect(stdout).toMatch(/^claude +seven_day +- +exhausted +in 1 day, at 20/m);
    expect(stdout).toContain('no limits known for codex');
    expect(JSON.parse((await amux(testHome, ['quota', '--json'])).stdout)).toEqual({
      agents: [reported],
      accounts: [],
    });
    expect((await amux(testHome, ['quota', 'unknown'])).code).not.toBe(0);
  });
});
