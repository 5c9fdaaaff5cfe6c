/** The dashboard in a real browser, against the daemon as it was built. Without a browser there are no rows. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { type Dashboard, executablePath, openDashboard } from '../../packages/web/test/open-dashboard.ts';
import { LAST_WORD, TIRELESS } from '../../packages/web/test/tireless.ts';
import { databaseIn } from './daemon/built-daemon.ts';
import { fillStore } from './daemon/start.ts';
import { median } from './measure.ts';
import type { Row } from './row.ts';

const ROUNDS = 7;
const STREAMS = 10;
const WATCHED_MS = 5000;
const LONG_FRAME_MS = 50;
const MEGABYTE = 2 ** 20;
const STREAM_MS = 300_000;
/** Emits text twenty times a second, for longer than the measurement. */
const CHATTY = {
  chatty: [
    [
      {
        do: 'repeat',
        times: 12_000,
        steps: [
          { do: 'event', event: { type: 'text_delta', delta: 'word {{i}} ' } },
          { do: 'wait', ms: 50 },
        ],
      },
    ],
  ],
};

export async function webRows(): Promise<Row[]> {
  if (executablePath === undefined) return [];
  const empty = await openDashboard({ scripts: { ...TIRELESS, ...CHATTY } });
  try {
    const full = await openDashboard({ prepare: (root) => fillStore(databaseIn(root)) });
    const first = await firstRow(empty, full).finally(() => full.stop());
    return [await scriptRow(empty), first, await framesRow(empty), await heapRow(empty)];
  } finally {
    await empty.stop();
  }
}

async function scriptRow(dashboard: Dashboard): Promise<Row> {
  const { page } = await dashboard.openSignedOut();
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (/\.js$/.test(response.url()) && !response.url().endsWith('/sw.js'))
      sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  const { url } = await dashboard.amux('open');
  await page.goto(String(url));
  await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
  const value = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
  const name = 'dashboard: script of the first view, gzipped';
  return { name, value, unit: 'KB', target: 200, detail: `${sizes.length} files` };
}

/** In turns with the page that has no sessions: what a machine takes for any page falls on both. */
async function firstRow(empty: Dashboard, full: Dashboard): Promise<Row> {
  const [none, many] = [(await empty.open()).page, (await full.open()).page];
  const times: { none: number[]; many: number[] } = { none: [], many: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const without = await timeUntil(none, empty.url, '.empty');
    const with_ = await timeUntil(many, full.url, '.row');
    if (round === 0) continue;
    times.none.push(without);
    times.many.push(with_);
  }
  const [base, value] = [median(times.none), median(times.many)];
  const detail = `${value.toFixed(0)} ms, ${base.toFixed(0)} ms without sessions`;
  return { name: 'dashboard: first row with 1,000 sessions, to an empty page', value: value / base, unit: 'x', detail };
}

async function timeUntil(page: Page, url: string, selector: string): Promise<number> {
  const started = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(selector).first().waitFor();
  return performance.now() - started;
}

async function framesRow(dashboard: Dashboard): Promise<Row> {
  const { page } = await dashboard.open();
  const idle = await longFrames(page);
  for (let at = 0; at < STREAMS; at += 1) await begin(page, { agent: 'chatty', cwd: dashboard.work, prompt: 'go' });
  await page
    .locator('.group[data-state="working"] .row')
    .nth(STREAMS - 1)
    .waitFor({ timeout: STREAM_MS });
  const value = await longFrames(page);
  const name = `dashboard: frames over ${LONG_FRAME_MS} ms while ${STREAMS} sessions stream`;
  return { name, value, unit: '%', target: 5, detail: `${idle.toFixed(1)} % where nothing happens` };
}

/** Of a hundred. */
async function longFrames(page: Page): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve) => {
    const started = performance.now();
    let [last, frames, long] = [started, 0, 0];
    requestAnimationFrame(function look(now) {
      frames += 1;
      if (now - last > ${LONG_FRAME_MS}) long += 1;
      last = now;
      if (now - started < ${WATCHED_MS}) requestAnimationFrame(look);
      else resolve((100 * long) / frames);
    });
  })`);
}

/** About what an agent says in an hour. */
async function heapRow(dashboard: Dashboard): Promise<Row> {
  const { page } = await dashboard.open();
  const cwd = join(dashboard.work, 'long');
  mkdirSync(cwd);
  const before = await heapOf(page);
  const id = await begin(page, { agent: 'tireless', cwd, prompt: 'go' });
  await page.goto(`${dashboard.url}/sessions/${id}`);
  await page.getByText(LAST_WORD).waitFor({ timeout: STREAM_MS });
  const after = await heapOf(page);
  const detail = `${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after, collected`;
  return { name: 'dashboard: heap after 100,000 events', value: after - before, unit: 'MB', target: 150, detail };
}

async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.detach();
  return usedSize / MEGABYTE;
}

async function begin(page: Page, options: { agent: string; cwd: string; prompt: string }): Promise<string> {
  return await page.evaluate(async (body) => {
    const response = await fetch('/api/v1/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { id } = (await response.json()) as { id: string };
    return id;
  }, JSON.stringify(options));
}
