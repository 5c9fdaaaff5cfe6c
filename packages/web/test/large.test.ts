import { describe, expect, test } from 'vitest';
import { executablePath, readSessions, startSession, useDashboard } from './dashboards.ts';
import { LAST_WORD, TIRELESS } from './tireless.ts';

/** A higher number would mean that the list is not virtualized. */
const MAX_ELEMENTS = 3_000;
const MAX_HEAP_BYTES = 300_000_000;

describe.skipIf(executablePath === undefined)('a session of 100,000 events', () => {
  const dashboard = useDashboard({ scripts: TIRELESS });

  test('opens at its end, scrolls to its start and back, and stays small', { timeout: 300_000 }, async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'go', folder: dashboard.work, agent: 'tireless' });
    await page.getByText(LAST_WORD).waitFor({ timeout: 200_000 });
    await page.reload();
    await page.getByText(LAST_WORD).waitFor({ timeout: 60_000 });
    const [session] = await readSessions(page);
    expect(session?.lastSeq).toBeGreaterThan(100_000);

    const log = page.getByRole('log');
    await log.evaluate((element) => {
      element.scrollTop = 0;
    });
    await page.getByText('The first word.').waitFor();
    await page.getByText('src/file-0.ts').or(page.getByText('src/file-1.ts')).first().waitFor();
    for (const part of [0.25, 0.5, 0.75]) {
      await log.evaluate((element, to) => {
        element.scrollTop = element.scrollHeight * to;
      }, part);
      await expect.poll(() => log.textContent(), { timeout: 30_000 }).toMatch(/Step \d{4,} is done\./);
      expect(await page.locator('*').count()).toBeLessThan(MAX_ELEMENTS);
    }
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await page.getByText(LAST_WORD).waitFor();

    const devtools = await page.context().newCDPSession(page);
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    expect(usedSize).toBeLessThan(MAX_HEAP_BYTES);
    expect(issues).toEqual([]);
  });
});
