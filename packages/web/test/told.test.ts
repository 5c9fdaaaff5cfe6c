import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useDashboard } from './dashboards.ts';

const PATIENT = { timeout: 60_000 };
/** A page that nobody looks at: the browser of a test shows all of its pages. */
const LOOK_AWAY = `
  Object.defineProperty(document, 'visibilityState', { get: () => (window.isLookedAt ? 'visible' : 'hidden') });
  document.hasFocus = () => window.isLookedAt === true;`;

interface Notice {
  title: string;
  body: string;
  tag: string;
}

/** What the system shows, as the worker knows it. */
const listNotices = (page: Page) =>
  page.evaluate<Notice[]>(`navigator.serviceWorker.ready.then((worker) => worker.getNotifications())
    .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`);

async function begin(page: Page, prompt: string, cwd: string): Promise<string> {
  const body = JSON.stringify(JSON.stringify({ agent: 'demo', prompt, cwd, title: prompt }));
  return page.evaluate<string>(`fetch('/api/v1/sessions', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: ${body},
  }).then((answer) => answer.json()).then(({ id }) => id)`);
}

async function answerAll(page: Page): Promise<void> {
  await page.evaluate(`fetch('/api/v1/requests?state=open').then((answer) => answer.json()).then(({ requests }) =>
    Promise.all(requests.map(({ id }) => fetch('/api/v1/requests/' + id + '/answer', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"decision":"deny"}',
    }))))`);
}

/** What is asked of the browser is noted: some forget by themselves what they have shown. */
const NOTE = `
  window.told = [];
  window.takenBack = [];
  navigator.setAppBadge = async (count) => { window.badge = count; };
  navigator.clearAppBadge = async () => { window.badge = 0; };
  const show = ServiceWorkerRegistration.prototype.showNotification;
  ServiceWorkerRegistration.prototype.showNotification = function (title, ...rest) {
    window.told.push(title);
    return show.call(this, title, ...rest);
  };
  const close = Notification.prototype.close;
  Notification.prototype.close = function () {
    window.takenBack.push(this.title);
    return close.call(this);
  };`;
const noted = async (pages: readonly Page[], what: 'told' | 'takenBack') =>
  (await Promise.all(pages.map((page) => page.evaluate<string[]>(`window.${what}`)))).flat();

describe.skipIf(executablePath === undefined)('a browser that tells', () => {
  const dashboard = useDashboard();

  async function openAway(): Promise<{ page: Page; other: Page; context: BrowserContext; faults: string[] }> {
    const { page, faults } = await dashboard.open();
    const context = page.context();
    await context.grantPermissions(['notifications'], { origin: dashboard.url });
    await page.goto(`${dashboard.url}/settings`);
    await page.getByLabel('Tell me in this browser').check();
    await page.getByLabel('A failure').waitFor();
    await context.addInitScript(LOOK_AWAY);
    await context.addInitScript(NOTE);
    await page.goto(dashboard.url);
    const other = await context.newPage();
    await other.goto(dashboard.url);
    for (const each of [page, other])
      await each.getByRole('heading', { level: 1 }).or(each.getByRole('navigation')).first().waitFor();
    return { page, other, context, faults };
  }

  test('is off until somebody wants it, and says so where it is blocked', async () => {
    const { page } = await dashboard.open();
    await page.goto(`${dashboard.url}/settings`);
    const wanted = page.getByLabel('Tell me in this browser');
    await wanted.waitFor();
    // A browser without a person answers the question by itself: with no.
    if (await wanted.isEnabled()) {
      expect(await wanted.isChecked()).toBe(false);
      await wanted.click();
    }
    await page.getByText('The browser blocks notices of this page').waitFor();
    expect(await wanted.isChecked()).toBe(false);
  });

  test('says once over two tabs what waits, nothing that was there before, and takes it back when it was answered', async () => {
    const stranger = await dashboard.open();
    await begin(stranger.page, 'write early.txt', dashboard.work);
    await expect
      .poll(
        () =>
          stranger.page.evaluate<number>(
            `fetch('/api/v1/requests?state=open').then((answer) => answer.json()).then(({ requests }) => requests.length)`,
          ),
        PATIENT,
      )
      .toBe(1);
    const { page, other, faults } = await openAway();
    await page.getByRole('article', { name: /early\.txt/ }).waitFor();
    await other.getByRole('article', { name: /early\.txt/ }).waitFor();
    await begin(stranger.page, 'write late.txt', dashboard.work);
    await expect
      .poll(() => listNotices(page), PATIENT)
      .toEqual([
        {
          title: 'Demo: write late.txt',
          body: expect.stringMatching(/^Asks: Write .*late\.txt$/),
          tag: expect.stringMatching(/^request:/),
        },
      ]);
    // Both have seen it.
    for (const each of [page, other])
      await each.getByText('Demo asks to change a file; 2 wait for you').waitFor({ state: 'attached' });
    expect(await noted([page, other], 'told')).toEqual(['Demo: write late.txt']);
    expect(await page.evaluate<number>('window.badge')).toBe(2);
    // After a break nothing is told again.
    await dashboard.kill();
    await page.getByText('The daemon cannot be reached').first().waitFor();
    await dashboard.start();
    await expect.poll(() => page.getByText('The daemon cannot be reached').count(), { timeout: 60_000 }).toBe(0);
    expect(await noted([page, other], 'told')).toHaveLength(1);
    expect(await noted([page, other], 'takenBack')).toEqual([]);
    // Elsewhere.
    await answerAll(stranger.page);
    await expect.poll(() => noted([page, other], 'takenBack'), PATIENT).toContain('Demo: write late.txt');
    expect(await listNotices(page)).toEqual([]);
    expect(await noted([page, other], 'told')).toHaveLength(1);
    await expect.poll(() => page.evaluate<number>('window.badge'), PATIENT).toBe(0);
    expect(faults).toEqual([]);
  });

  test('is silent while somebody looks at one of its tabs', async () => {
    const { page, other } = await openAway();
    await other.evaluate(`window.isLookedAt = true; window.dispatchEvent(new Event('focus'))`);
    await begin(page, 'write seen.txt', dashboard.work);
    for (const each of [page, other]) await each.getByRole('article', { name: /seen\.txt/ }).waitFor();
    await expect
      .poll(() => page.evaluate<string[]>(`JSON.parse(localStorage.getItem('agent-mux.told') ?? '[]')`), PATIENT)
      .toHaveLength(1);
    expect(await noted([page, other], 'told')).toEqual([]);
    // Nor when they have left: it was seen.
    await other.evaluate(`window.isLookedAt = false; window.dispatchEvent(new Event('blur'))`);
    await begin(page, 'write unseen.txt', dashboard.work);
    await expect.poll(() => noted([page, other], 'told'), PATIENT).toEqual(['Demo: write unseen.txt']);
    await answerAll(page);
  });

  test('a click on it opens the session in a page that is there', async () => {
    const { page, other, context } = await openAway();
    const id = await begin(page, 'write clicked.txt', dashboard.work);
    await expect.poll(async () => (await listNotices(page)).length, PATIENT).toBe(1);
    await other.close();
    const [worker] = context.serviceWorkers();
    await worker!.evaluate(`self.registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`);
    await expect.poll(() => new URL(page.url()).pathname, PATIENT).toBe(`/sessions/${id}`);
    await page.getByRole('log').getByText('write clicked.txt').waitFor();
    expect(await listNotices(page)).toEqual([]);
    await answerAll(page);
  });

  test('a kind that nobody wants is not told', async () => {
    const { page, other } = await openAway();
    await other.goto(`${dashboard.url}/settings`);
    await other.getByLabel('What waits for you: an approval, a question').uncheck();
    await begin(page, 'write unwanted.txt', dashboard.work);
    for (const each of [page, other]) {
      await each.getByText('Demo asks to change a file; 1 waits for you').waitFor({ state: 'attached' });
      // Whatever is told takes its turn, and so does this.
      await each.evaluate("navigator.locks.request('agent-mux.telling', () => undefined)");
    }
    await other.getByLabel('What waits for you: an approval, a question').check();
    await begin(page, 'write wanted.txt', dashboard.work);
    await expect.poll(() => noted([page, other], 'told'), PATIENT).toEqual(['Demo: write wanted.txt']);
    await answerAll(page);
  });
});
