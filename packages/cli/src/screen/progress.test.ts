import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withProgress } from './progress.ts';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 40, written, write: (text: string) => void written.push(text) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve('done'), ms));

describe('withProgress', () => {
  it('shows a line during slow work and clears it', async () => {
    const screen = terminal(true);
    const work = withProgress('asking', () => after(2500), screen, { NO_COLOR: '1' });
    await vi.advanceTimersByTimeAsync(300);
    expect(screen.written).toEqual([]);
    await vi.advanceTimersByTimeAsync(2200);
    expect(await work).toBe('done');
    expect(screen.written.join('')).toMatch(/\r\u001b\[K. asking 2 s\r\u001b\[K$/);
  });

  it('shows the current step on one line', async () => {
    const screen = terminal(true);
    const work = withProgress(
      'asking',
      async (say) => {
        say(`fetching\n${'x'.repeat(200)}`);
        return after(1000);
      },
      screen,
      { NO_COLOR: '1' },
    );
    await vi.advanceTimersByTimeAsync(1000);
    await work;
    expect(screen.written.at(-2)).toMatch(/. fetching x+… $/);
    expect(screen.written.at(-2)?.length).toBeLessThan(46);
  });

  it('prints nothing without a terminal or on a dumb terminal', async () => {
    for (const [screen, env] of [
      [terminal(false), {}],
      [terminal(true), { TERM: 'dumb' }],
    ] as const) {
      const work = withProgress('asking', () => after(5000), screen, env);
      await vi.advanceTimersByTimeAsync(5000);
      expect(await work).toBe('done');
      expect(screen.written).toEqual([]);
    }
  });

  it('clears its line on failure and rethrows', async () => {
    const screen = terminal(true);
    const work = withProgress('asking', () => after(900).then(() => Promise.reject(new Error('no'))), screen, {});
    const failure = expect(work).rejects.toThrow('no');
    await vi.advanceTimersByTimeAsync(900);
    await failure;
    expect(screen.written.at(-1)).toBe('\r\u001b[K');
  });
});
