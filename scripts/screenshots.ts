/**
 * `npm run screenshots`: screenshots of every dashboard page, light and dark, on desktop and phone. Those used by
 * README and docs go to docs/images. `--all FOLDER` writes all of them; `--only NAME` only those whose names start with
 * NAME.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { executablePath, openDashboard } from '../packages/web/test/open-dashboard.ts';
import { VIEWS } from '../packages/web/test/views.ts';
import { createWorld, SCRIPTS, SETUP } from './screenshots/sessions.ts';

const IMAGES = join(import.meta.dirname, '../docs/images');
const SCHEMES = ['light', 'dark'] as const;
const SIZES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
/** Screenshots used by the docs. Views that show paths of this machine are excluded. */
const SHOWN = [
  ...['inbox', 'sessions', 'session', 'changes', 'terminal', 'new-session', 'history', 'usage', 'agents'],
  ...['audit-log', 'palette'],
].map((view) => `${view}-light-desktop`);
const SHOWN_TOO = [
  'inbox-dark-desktop',
  'session-dark-desktop',
  'inbox-light-phone',
  'session-dark-phone',
  'sessions-light-phone',
];

const { values } = parseArgs({ options: { all: { type: 'string' }, only: { type: 'string' } } });
if (executablePath === undefined) {
  console.error('screenshots: neither chromium nor google-chrome is on PATH; install one and try again');
  process.exit(1);
}
const dashboard = await openDashboard({ scripts: SCRIPTS, ...SETUP });
try {
  const { page } = await dashboard.open();
  const world = await createWorld(page, dashboard);
  for (const folder of [IMAGES, ...(values.all === undefined ? [] : [values.all])])
    mkdirSync(folder, { recursive: true });
  for (const [size, options] of Object.entries(SIZES))
    for (const colorScheme of SCHEMES) {
      const { page: fresh } = await dashboard.open({ ...options, colorScheme, reducedMotion: 'reduce' });
      for (const [view, { open }] of Object.entries(VIEWS)) {
        const name = `${view}-${colorScheme}-${size}`;
        const isShown = SHOWN.includes(name) || SHOWN_TOO.includes(name);
        if (!isShown && values.all === undefined) continue;
        if (values.only !== undefined && !name.startsWith(values.only)) continue;
        await open(fresh, world);
        await fresh.screenshot({
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
