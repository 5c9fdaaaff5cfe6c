/**
 * `npm run screenshots`: pictures of every page of the dashboard, light and dark, on a desk and on a phone. Those that README and
 * docs show go to docs/images. `--all FOLDER` writes all of them, to be looked at.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { executablePath, openDashboard } from '../packages/web/test/open-dashboard.ts';
import { beginSessions, SCRIPTS } from './screenshots/sessions.ts';

const IMAGES = join(import.meta.dirname, '../docs/images');
const SCHEMES = ['light', 'dark'] as const;
const SIZES = {
  desk: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
/** Page, scheme and size of those that are shown somewhere. */
const SHOWN = ['inbox-light-desk', 'inbox-dark-desk', 'session-dark-desk', 'inbox-light-phone', 'session-dark-phone'];

const { values } = parseArgs({ options: { all: { type: 'string' } } });
if (executablePath === undefined) {
  console.error('screenshots: no chromium or google-chrome is on PATH: install one, then run this again');
  process.exit(1);
}
const dashboard = await openDashboard({ scripts: SCRIPTS });
try {
  const { page } = await dashboard.open();
  const { read } = await beginSessions(page, dashboard.work);
  const views: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    inbox: (at) => show(at, '/'),
    sessions: (at) => show(at, '/sessions'),
    session: async (at) => {
      await show(at, `/sessions/${read}`);
      // As it is opened: at the end, when the sizes of all that is seen are known.
      await at.getByRole('button', { name: 'Allow in this session' }).click({ trial: true });
    },
    history: (at) => show(at, '/history'),
    usage: (at) => show(at, '/usage'),
    agents: (at) => show(at, '/agents'),
    decisions: (at) => show(at, '/audit'),
    settings: (at) => show(at, '/settings'),
    'new-session': async (at) => {
      await show(at, '/');
      await at.getByRole('button', { name: 'New session' }).first().click();
      await at.getByRole('dialog').getByLabel('Folder').waitFor();
      await at.getByRole('dialog').getByLabel('Prompt').fill('Find out why the second page of the orders is empty');
      await at.getByRole('dialog').getByRole('combobox', { name: 'Agent' }).selectOption('demo');
      await at.getByRole('dialog').getByLabel('Folder').fill('/home/you/shop');
    },
  };
  for (const folder of [IMAGES, ...(values.all === undefined ? [] : [values.all])])
    mkdirSync(folder, { recursive: true });
  for (const [size, options] of Object.entries(SIZES))
    for (const colorScheme of SCHEMES) {
      const { page: own } = await dashboard.open({ ...options, colorScheme, reducedMotion: 'reduce' });
      for (const [view, open] of Object.entries(views)) {
        const name = `${view}-${colorScheme}-${size}`;
        const isShown = SHOWN.includes(name);
        if (!isShown && values.all === undefined) continue;
        await open(own);
        await own.screenshot({
          path: join(values.all ?? IMAGES, `${name}.png`),
          animations: 'disabled',
          caret: 'hide',
        });
        console.log(name);
      }
    }
} finally {
  await dashboard.stop();
}

/** When everything that the page asks for is there. */
async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${dashboard.url}${path}`);
  await page.getByRole('main').getByRole('heading').first().waitFor();
  // Several places of a page may load for themselves.
  await page.waitForFunction('!document.querySelector(".loading")');
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}
