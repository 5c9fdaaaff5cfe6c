import type { Page } from 'playwright-core';
import { afterAll, beforeAll, vi } from 'vitest';
import { type Dashboard, type DashboardOptions, executablePath, openDashboard } from './open-dashboard.ts';

export { startSession } from './start-session.ts';
export { executablePath };

if (executablePath === undefined) console.warn('no chromium on PATH: skipping the dashboard tests');

/** One dashboard for all tests of a file, removed afterwards. */
export function useDashboard(options: DashboardOptions = {}): Omit<Dashboard, 'stop'> {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  let opened: Dashboard | undefined;
  const current = (): Dashboard => {
    if (!opened) throw new Error('the dashboard is available only inside tests');
    return opened;
  };
  beforeAll(async () => {
    opened = await openDashboard(options);
  });
  afterAll(() => opened?.stop());
  return {
    get url() {
      return current().url;
    },
    get work() {
      return current().work;
    },
    amux: (...args) => current().amux(...args),
    run: (args, env) => current().run(args, env),
    open: (options) => current().open(options),
    openSignedOut: (options) => current().openSignedOut(options),
    kill: () => current().kill(),
    start: () => current().start(),
  };
}

/** Reads the daemon's sessions from within the page. */
export async function readSessions(page: Page): Promise<{ id: string; lastSeq: number }[]> {
  return await page.evaluate<{ id: string; lastSeq: number }[]>(
    'fetch("/api/v1/sessions").then((answer) => answer.json()).then(({ sessions }) => sessions)',
  );
}
