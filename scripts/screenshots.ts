/**
 * `npm run screenshots`: pictures of every page of the dashboard, light and dark, on a desk and on a phone. Those that README and
 * docs show go to docs/images. `--all FOLDER` writes all of them, to be looked at; `--only NAME` those whose names begin so.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { executablePath, openDashboard } from '../packages/web/test/open-dashboard.ts';
import { VIEWS } from '../packages/web/test/views.ts';
import { AROUND, makeWorld, SCRIPTS } from './screenshots/sessions.ts';

const IMAGES = join(import.meta.dirname, '../docs/images');
const SCHEMES = ['light', 'dark'] as const;
const SIZES = {
  desk: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
/** In light on a desk, some dark, and what a phone is used for. Not those that show paths of the machine that makes them. */
const SHOWN = [
  ...['inbox', 'sessions', 'session', 'changes', 'terminal', 'new-session', 'history', 'usage', 'agents'],
  ...['decisions', 'palette'],
].map((view) => `${view}-light-desk`);
const SHOWN_TOO = [
  'inbox-dark-desk',
  'session-dark-desk',
  'inbox-light-phone',
  'session-dark-phone',
  'sessions-light-phone',
];

const { values } = parseArgs({ options: { all: { type: 'string' }, only: { type: 'string' } } });
if (executablePath === undefined) {
  console.error('screenshots: no chromium or google-chrome is on PATH: install one, then run this again');
  process.exit(1);
}
const dashboard = await openDashboard({ scripts: SCRIPTS, ...AROUND });
try {
  const { page } = await dashboard.open();
  const world = await makeWorld(page, dashboard);
  for (const folder of [IMAGES, ...(values.all === undefined ? [] : [values.all])])
    mkdirSync(folder, { recursive: true });
  for (const [size, options] of Object.entries(SIZES))
    for (const colorScheme of SCHEMES) {
      const { page: own } = await dashboard.open({ ...options, colorScheme, reducedMotion: 'reduce' });
      for (const [view, { open }] of Object.entries(VIEWS)) {
        const name = `${view}-${colorScheme}-${size}`;
        const isShown = SHOWN.includes(name) || SHOWN_TOO.includes(name);
        if (!isShown && values.all === undefined) continue;
        if (values.only !== undefined && !name.startsWith(values.only)) continue;
        await open(own, world);
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
