import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useDashboard } from './dashboards.ts';

const SLOW = { timeout: 60_000 };
/** Makes a page report itself as hidden, since a test browser shows all of its pages. */
const HIDE_PAGE = `
  Object.defineProperty(document, 'visibilityState', { get: () => (window.isShown ? 'visible' : 'hidden') });
  document.hasFocus = () => window.isShown === true;`;

interface Notice {
  title: string;
  body: string;
  tag: string;
}

/** The system notifications, as reported by the service worker. */
const listNotices = (page: Page) =>
  page.evaluate<Notice[]>(`navigator.serviceWorker.ready.then((worker) => worker.getNotifications())
    .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`);

async function start(page: Page, prompt: string, cwd: string): Promise<string> {
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

/** Records all notifications, since some browsers forget which ones they have shown. */
const RECORD = `
  window.shownTitles = [];
  window.closedTitles = [];
  navigator.setAppBadge = async (count) => { window.badge = count; };
  navigator.clearAppBadge = async () => { window.badge = 0; };
  const show = ServiceWorkerRegistration.prototype.showNotification;
  ServiceWorkerRegistration.prototype.showNotification = function (title, ...rest) {
    window.shownTitles.push(title);
    return show.call(this, title, ...rest);
  };
  const close = Notification.prototype.close;
  Notification.prototype.close = function () {
    window.closedTitles.push(this.title);
    return close.call(this);
  };`;
const recorded = async (pages: readonly Page[], what: 'shownTitles' | 'closedTitles') =>
  (await Promise.all(pages.map((page) => page.evaluate<string[]>(`window.${what}`)))).flat();

describe.skipIf(executablePath === undefined)('browser notifications', () => {
  const dashboard = useDashboard();

  async function openHidden(): Promise<{ page: Page; other: Page; context: BrowserContext; issues: string[] }> {
    const { page, issues } = await dashboard.open();
    const context = page.context();
    await context.grantPermissions(['notifications'], { origin: dashboard.url });
    await page.goto(`${dashboard.url}/settings`);
    await page.getByLabel('Notify me in this browser').check();
    await page.getByLabel('Failures').waitFor();
    await context.addInitScript(HIDE_PAGE);
    await context.addInitScript(RECORD);
    await page.goto(dashboard.url);
    const other = await context.newPage();
    await other.goto(dashboard.url);
    for (const each of [page, other])
      await each.getByRole('heading', { level: 1 }).or(each.getByRole('navigation')).first().waitFor();
    return { page, other, context, issues };
  }

  test('are off by default and report that the browser blocks them', async () => {
    const { page } = await dashboard.open();
    await page.goto(`${dashboard.url}/settings`);
    const toggle = page.getByLabel('Notify me in this browser');
    await toggle.waitFor();
    // A headless browser denies the permission prompt automatically.
    if (await toggle.isEnabled()) {
      expect(await toggle.isChecked()).toBe(false);
      await toggle.click();
    }
    await page.getByText('The browser blocks notifications from this page').waitFor();
    expect(await toggle.isChecked()).toBe(false);
  });

  test('appear once across two tabs and close when answered', async () => {
    const stranger = await dashboard.open();
    await start(stranger.page, 'write early.txt', dashboard.work);
    await expect
      .poll(
        () =>
          stranger.page.evaluate<number>(
            `fetch('/api/v1/requests?state=open').then((answer) => answer.json()).then(({ requests }) => requests.length)`,
          ),
        SLOW,
      )
      .toBe(1);
    const { page, other, issues } = await openHidden();
    await page.getByRole('article', { name: /early\.txt/ }).waitFor();
    await other.getByRole('article', { name: /early\.txt/ }).waitFor();
    await start(stranger.page, 'write late.txt', dashboard.work);
    await expect
      .poll(() => listNotices(page), SLOW)
      .toEqual([
        {
          title: 'Demo: write late.txt',
          body: expect.stringMatching(/^Asks: Write .*late\.txt$/),
          tag: expect.stringMatching(/^request:/),
        },
      ]);
    // Both pages have received the request.
    for (const each of [page, other])
      await each.getByText('Demo asks to change a file; 2 need you').waitFor({ state: 'attached' });
    expect(await recorded([page, other], 'shownTitles')).toEqual(['Demo: write late.txt']);
    expect(await page.evaluate<number>('window.badge')).toBe(2);
    // A reconnect does not repeat notifications.
    await dashboard.kill();
    await page.getByText('Can’t reach the daemon').first().waitFor();
    await dashboard.start();
    await expect.poll(() => page.getByText('Can’t reach the daemon').count(), { timeout: 60_000 }).toBe(0);
    expect(await recorded([page, other], 'shownTitles')).toHaveLength(1);
    expect(await recorded([page, other], 'closedTitles')).toEqual([]);
    // Answer in another browser.
    await answerAll(stranger.page);
    await expect.poll(() => recorded([page, other], 'closedTitles'), SLOW).toContain('Demo: write late.txt');
    expect(await listNotices(page)).toEqual([]);
    expect(await recorded([page, other], 'shownTitles')).toHaveLength(1);
    await expect.poll(() => page.evaluate<number>('window.badge'), SLOW).toBe(0);
    expect(issues).toEqual([]);
  });

  test('are not shown while a tab is visible', async () => {
    const { page, other } = await openHidden();
    await other.evaluate(`window.isShown = true; window.dispatchEvent(new Event('focus'))`);
    await start(page, 'write seen.txt', dashboard.work);
    for (const each of [page, other]) await each.getByRole('article', { name: /seen\.txt/ }).waitFor();
    await expect
      .poll(() => page.evaluate<string[]>(`JSON.parse(localStorage.getItem('agent-mux.notified') ?? '[]')`), SLOW)
      .toHaveLength(1);
    expect(await recorded([page, other], 'shownTitles')).toEqual([]);
    // A request that was seen is not repeated after the tab is hidden.
    await other.evaluate(`window.isShown = false; window.dispatchEvent(new Event('blur'))`);
    await start(page, 'write unseen.txt', dashboard.work);
    await expect.poll(() => recorded([page, other], 'shownTitles'), SLOW).toEqual(['Demo: write unseen.txt']);
    await answerAll(page);
  });

  test('open the session in an existing page when clicked', async () => {
    const { page, other, context } = await openHidden();
    const id = await start(page, 'write clicked.txt', dashboard.work);
    await expect.poll(async () => (await listNotices(page)).length, SLOW).toBe(1);
    await other.close();
    const [worker] = context.serviceWorkers();
    await worker!.evaluate(`self.registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`);
    await expect.poll(() => new URL(page.url()).pathname, SLOW).toBe(`/sessions/${id}`);
    await page.getByRole('log').getByText('write clicked.txt').waitFor();
    expect(await listNotices(page)).toEqual([]);
    await answerAll(page);
  });

  test('are not shown for a disabled kind', async () => {
    const { page, other } = await openHidden();
    await other.goto(`${dashboard.url}/settings`);
    await other.getByLabel('Approvals and questions').uncheck();
    await start(page, 'write unwanted.txt', dashboard.work);
    for (const each of [page, other]) {
      await each.getByText('Demo asks to change a file; 1 needs you').waitFor({ state: 'attached' });
      // Wait for the lock, so that pending notifications are done.
      await each.evaluate("navigator.locks.request('agent-mux.notify', () => undefined)");
    }
    await other.getByLabel('Approvals and questions').check();
    await start(page, 'write wanted.txt', dashboard.work);
    await expect.poll(() => recorded([page, other], 'shownTitles'), SLOW).toEqual(['Demo: write wanted.txt']);
    await answerAll(page);
  });
});
