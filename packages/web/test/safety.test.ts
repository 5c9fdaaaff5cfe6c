import { describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

/** Hostile model output. */
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

describe.skipIf(executablePath === undefined)('dashboard safety', () => {
  const dashboard = useDashboard();

  test('shows agent output without executing it', async () => {
    const { page, issues } = await dashboard.open();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await startSession(page, { prompt: HOSTILE, folder: dashboard.work });
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
    expect(requested.filter((url) => !url.startsWith(dashboard.url))).toEqual([]);
    expect(issues).toEqual([]);
  });

  test('denies reads and actions to a page of another origin', async () => {
    const { page } = await dashboard.open();
    const foreign = await page.context().newPage();
    await foreign.goto(`${dashboard.url.replace('127.0.0.1', 'localhost')}/docs`);
    const outcome = await foreign.evaluate(async (url) => {
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

  test('fits on a phone and answers requests there', async () => {
    const { page } = await dashboard.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await startSession(page, { prompt: 'write phone.txt', folder: dashboard.work });
    await page.goto(dashboard.url);
    const card = page.getByRole('article', { name: /phone\.txt/ });
    await card.waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await card.getByRole('button', { name: 'Allow' }).tap();
    await card.waitFor({ state: 'detached' });
  });
});
