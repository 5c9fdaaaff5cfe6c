import { describe, expect, test } from 'vitest';
import { beginSession, executablePath, useDashboard } from './dashboards.ts';
import { findSerious, loadAxe } from './find-serious.ts';

/** Whatever a model may be made to write. */
const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  '<script>document.title=2</script>',
  '<svg onload="document.title=3"></svg>',
  '<iframe src="javascript:document.title=4"></iframe>',
  '[click](javascript:document.title=5)',
  '[data](data:text/html,hi)',
  '![pixel](http://127.0.0.1:9/leak.png)',
  '[good](https://example.com/)',
].join(' ');

describe.skipIf(executablePath === undefined)('what must never happen in the dashboard', () => {
  const dashboard = useDashboard();

  test('what an agent writes is shown and does nothing', async () => {
    const { page, faults } = await dashboard.open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await beginSession(page, { prompt: HOSTILE, folder: dashboard.work });
    await page
      .getByText('Try "ask me a question"')
      .or(page.getByRole('button', { name: 'Allow' }))
      .first()
      .waitFor();
    const allow = page.getByRole('button', { name: 'Allow' });
    if (await allow.isVisible()) await allow.click();
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('what did I say before?');
    await message.press('Enter');
    const answer = page.locator('.markdown', { hasText: 'Before this you said' });
    await answer.waitFor();
    await answer.getByRole('link', { name: 'good' }).waitFor();
    expect(await answer.locator('img, script, svg, iframe').count()).toBe(0);
    const links = await answer
      .locator('a')
      .evaluateAll((all) =>
        all.map((each) => [each.getAttribute('href'), each.getAttribute('rel'), each.getAttribute('target')]),
      );
    expect(links).toEqual([['https://example.com/', 'noopener noreferrer nofollow', '_blank']]);
    expect(await page.title()).not.toMatch(/^\d$/);
    expect(asked.filter((url) => !url.startsWith(dashboard.url))).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('a page of another origin can neither read nor act', async () => {
    const { page } = await dashboard.open();
    const tried = await page.context().newPage();
    await tried.goto(`${dashboard.url.replace('127.0.0.1', 'localhost')}/docs`);
    const outcome = await tried.evaluate(async (url) => {
      const read = await fetch(`${url}/api/v1/sessions`, { credentials: 'include' }).then(
        (response) => response.status,
        () => 'refused',
      );
      const act = await fetch(`${url}/api/v1/shutdown`, {
        method: 'POST',
        mode: 'no-cors',
        credentials: 'include',
      }).then(
        () => 'sent',
        () => 'refused',
      );
      return { read, act };
    }, dashboard.url);
    expect(outcome.read).toBe('refused');
    expect(outcome.act).toBe('refused');
    expect((await dashboard.amux('status')).running).toBe(true);
  });

  test.each(['light', 'dark'] as const)(
    'no page has a serious fault for those who hear or cannot tell colours: %s',
    async (colorScheme) => {
      const { page } = await dashboard.open({ colorScheme, bypassCSP: true });
      await loadAxe(page);
      const found: Record<string, string[]> = {};
      await beginSession(page, { prompt: 'Take me on a tour', folder: dashboard.work });
      const session = page.url();
      await page.getByRole('button', { name: 'Allow' }).waitFor();
      const paths = ['', '/sessions', '/history', '/usage', '/agents', '/settings', new URL(session).pathname];
      for (const path of paths) {
        await page.goto(`${dashboard.url}${path}`);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        // What says that it loads fades in, and has less contrast meanwhile.
        await expect.poll(() => page.locator('.loading').count(), { timeout: 30_000 }).toBe(0);
        found[path] = await findSerious(page);
      }
      await page.keyboard.press('c');
      await page.getByRole('dialog').getByLabel('Folder').waitFor();
      found.dialog = await findSerious(page);
      expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([]);
    },
  );

  test('on a phone everything fits, and what waits can be answered', async () => {
    const { page } = await dashboard.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await beginSession(page, { prompt: 'write phone.txt', folder: dashboard.work });
    await page.goto(dashboard.url);
    const card = page.getByRole('article', { name: /phone\.txt/ });
    await card.waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await card.getByRole('button', { name: 'Allow' }).tap();
    await card.waitFor({ state: 'detached' });
  });
});
