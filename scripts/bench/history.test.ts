import { describe, expect, it } from 'vitest';
import { type BenchRun, benchmarksPage } from './history.ts';

const machine = { node: '24.0.0', cores: 2, loadBefore: 0.1, loadAfter: 0.3 };
const run = (commit: string, value: number): BenchRun => ({
  date: '2026-01-01',
  commit,
  machine,
  rows: [{ name: 'awaited', value, unit: 'of bare', target: 0.85, detail: `detail of ${commit}` }],
});

describe('benchmarksPage', () => {
  it('shows the last runs with their targets and misses in bold', () => {
    const page = benchmarksPage([run('aaa', 0.9), run('bbb', 0.8)]);
    expect(page).toContain('2026-01-01 aaa | 2026-01-01 bbb');
    expect(page).toMatch(/\| awaited +\| of bare \| 0\.85 +\| 0\.90 +\| \*\*0\.80\*\* +\| detail of bbb \|/);
    expect(page).toContain('- 2026-01-01 bbb: node 24.0.0, 2 cores, load 0.1 before and 0.3 after\n');
  });

  it('keeps rows that were not measured again and marks busy machines', () => {
    const other = { ...run('bbb', 1), rows: [], machine: { ...machine, loadAfter: 7 } };
    const page = benchmarksPage([run('aaa', 0.9), other]);
    expect(page).toMatch(/\| 0\.90 +\| +\| detail of aaa/);
    expect(page).toContain('a busy machine');
  });

  it('shows at most five runs', () => {
    const page = benchmarksPage(Array.from({ length: 7 }, (_, i) => run(`c${i}`, 1)));
    expect([page.includes(' c1'), page.includes(' c2')]).toEqual([false, true]);
  });
});
