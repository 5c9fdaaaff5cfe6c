import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

/** The uid of the unprivileged user. */
const UNPRIVILEGED_UID = 65_534;
const isRoot = process.getuid?.() === 0;

/** The API's status for a request with these headers. */
function statusFor(url: string, headers: IncomingHttpHeaders): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/api/v1/sessions`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

const isSignedIn = (page: Page) => page.getByRole('navigation').first().waitFor();

describe.skipIf(executablePath === undefined)('browser login', () => {
  const dashboard = useDashboard();
  const other = useDashboard();

  test('leaks nothing usable to another port and survives its cookies', async () => {
    const received: IncomingHttpHeaders[] = [];
    const server = createServer(({ headers }, response) => {
      received.push(headers);
      const names = Object.keys(headers).includes('cookie') ? String(headers.cookie).split(/=|; /) : [];
      response.setHeader(
        'set-cookie',
        ['agent_mux', ...names].flatMap((name) => [`${name}=x; Path=/`, `${name}=y; Path=/api`]),
      );
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>another port</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const { page } = await dashboard.open();
      await startSession(page, { prompt: `what did I say before? [look](${address})`, folder: dashboard.work });
      const message = page.getByLabel('Message', { exact: true });
      await message.fill('what did I say before?');
      await message.press('Enter');
      const [visited] = await Promise.all([
        page.context().waitForEvent('page'),
        page.locator('.markdown').getByRole('link', { name: 'look' }).first().click(),
      ]);
      await visited.waitForLoadState();
      expect(await visited.title()).toBe('another port');
      expect(received.length).toBeGreaterThan(0);
      expect(await page.context().cookies()).not.toEqual([]);
      for (const { host: _, connection: _2, ...headers } of received) {
        expect(headers.authorization).toBeUndefined();
        for (const site of ['same-origin', 'none'])
          expect(await statusFor(dashboard.url, { ...headers, 'sec-fetch-site': site })).toBe(401);
      }
      await page.reload();
      await isSignedIn(page);
    } finally {
      server.close();
    }
  });

  test('keeps its key unreadable for scripts and other origins', async () => {
    const { page } = await dashboard.open();
    const read = `new Promise((resolve, reject) => {
      const opening = indexedDB.open('agent-mux', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('login');
      opening.onsuccess = () => {
        const request = opening.result.transaction('login').objectStore('login').get('login');
        request.onsuccess = () => resolve(request.result);
      };
      opening.onerror = reject;
    })`;
    expect(await page.evaluate(`${read}.then(({ key }) => key.extractable)`)).toBe(false);
    expect(
      await page.evaluate(`${read}.then(({ key }) => crypto.subtle.exportKey('jwk', key)).catch(({ name }) => name)`),
    ).toBe('InvalidAccessError');
    await page.goto(other.url);
    await page.getByText('This browser is not signed in').waitFor();
    expect(await page.evaluate(`${read}.then((login) => typeof login)`)).toBe('undefined');
  });

  test('survives SIGKILL of two daemons on two ports', async () => {
    const { page } = await dashboard.open();
    const second = await page.context().newPage();
    await second.goto(String((await other.amux('open')).url));
    await isSignedIn(second);
    for (const each of [dashboard, other]) {
      await each.kill();
      await each.start();
    }
    for (const each of [page, second]) {
      await each.reload();
      await isSignedIn(each);
    }
  });

  test('returns to the requested page after signing in', async () => {
    const { page } = await dashboard.openSignedOut();
    await page.goto(`${dashboard.url}/settings?x=1`);
    await page.getByText('This browser is not signed in').waitFor();
    const opened = await page.context().newPage();
    await opened.goto(String((await dashboard.amux('open')).url));
    await isSignedIn(opened);
    expect(new URL(opened.url()).pathname + new URL(opened.url()).search + new URL(opened.url()).hash).toBe(
      '/settings?x=1',
    );
    await page.bringToFront();
    await isSignedIn(page);
    expect(new URL(page.url()).pathname).toBe('/settings');
    // A link pasted into an open page signs in as well.
    const pasted = await dashboard.openSignedOut();
    await pasted.page.goto(dashboard.url);
    await pasted.page.getByText('This browser is not signed in').waitFor();
    await pasted.page.goto(String((await dashboard.amux('open')).url));
    await isSignedIn(pasted.page);
  });

  test('hides the link from other users while a program opens the browser', async () => {
    const opener = join(dashboard.work, 'opener');
    const shown = join(dashboard.work, 'shown');
    const go = join(dashboard.work, 'go');
    writeFileSync(
      opener,
      `#!/bin/sh\necho "$@" > ${shown}.tmp; mv ${shown}.tmp ${shown}\nwhile [ ! -e ${go} ]; do sleep 0.05; done\n`,
      {
        mode: 0o755,
      },
    );
    const printed = await dashboard.run(['open'], { BROWSER: opener });
    const [code = ''] = /(?<=#login=)[\w-]+/.exec(printed) ?? [];
    expect(code).not.toBe('');
    await expect.poll(() => existsSync(shown), { timeout: 30_000 }).toBe(true);
    const target = readFileSync(shown, 'utf8').trim();
    const file = fileURLToPath(target);
    expect(target).not.toContain(code);
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
    if (isRoot) {
      const script = `
        const fs = require('node:fs');
        const [target, code] = fs.readFileSync(0, 'utf8').split(' ');
        const seen = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => {
          try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'); } catch { return ''; }
        }).join('\\n');
        let read = 'read';
        try { fs.readFileSync(new URL(target)); } catch ({ code }) { read = code; }
        console.log(JSON.stringify([seen.includes(target), seen.includes(code), read]));`;
      const { stdout } = spawnSync(process.execPath, ['-e', script], {
        ...{ uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID, cwd: '/' },
        // Passed on stdin, so that the search does not find its own arguments.
        ...{ encoding: 'utf8', input: `${target} ${code}` },
      });
      expect(JSON.parse(stdout)).toEqual([true, false, 'EACCES']);
    }
    writeFileSync(go, '');
    const { page } = await dashboard.openSignedOut();
    await page.goto(target);
    await isSignedIn(page);
    expect(page.url()).toBe(`${dashboard.url}/`);
    await expect.poll(() => existsSync(file)).toBe(false);
  });
});
