import type { Page } from 'playwright-core';

/** Session ids that the views show. */
export interface World {
  url: string;
  /** A session with every kind of conversation item. */
  read: string;
  asking: string;
  failed: string;
  /** A session in a worktree with changes. */
  changed: string;
  /** A session in a terminal. */
  screen: string;
  /** Path of a stored session. */
  stored: string;
}

export interface View {
  /** Path pattern of the page; null: an overlay, or not a page. */
  page: string | null;
  open(page: Page, world: World): Promise<void>;
}

/** Opens a page and waits until all of its data is loaded. */
export async function goTo(page: Page, { url }: Pick<World, 'url'>, path: string): Promise<void> {
  await page.goto(`${url}${path}`);
  await page.getByRole('main').getByRole('heading').first().waitFor();
  await settle(page);
}

const SETTLE_MS = 60_000;
const LOADS = `document.querySelector('.loading, [aria-busy=true]') !== null || document.body.innerText.includes('Refreshing…')`;

/** Waits until nothing is loading; parts of a page load separately and may load more. */
async function settle(page: Page): Promise<void> {
  // The CSP of the page prevents waitForFunction.
  for (const limit = Date.now() + SETTLE_MS; await page.evaluate<boolean>(LOADS); await page.waitForTimeout(50))
    if (Date.now() > limit) throw new Error(`${page.url()} is still loading`);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

const plain = (path: string): View => ({ page: path, open: (page, world) => goTo(page, world, path) });
const ofSession = (which: 'read' | 'asking' | 'failed', then?: (page: Page) => Promise<void>): View => ({
  page: '/sessions/:id',
  async open(page, world) {
    // An earlier view may have stored a scroll position.
    await page.evaluate('sessionStorage.clear()');
    await goTo(page, world, `/sessions/${world[which]}`);
    await page.getByRole('log').waitFor();
    await then?.(page);
  },
});

/** Waits until the conversation is scrolled to its end and all sizes are known. */
async function reachEnd(page: Page): Promise<void> {
  const left = () => page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
  for (const limit = Date.now() + SETTLE_MS; (await left()) > 2; await page.waitForTimeout(50))
    if (Date.now() > limit) throw new Error('the conversation does not stay at its end');
}

async function unfoldAll(page: Page): Promise<void> {
  const folded = page.getByRole('log').getByRole('button', { expanded: false });
  // Bounded, since items may collapse again after scrolling.
  for (let clicks = 0; clicks < 20 && (await folded.count()) > 0; clicks += 1) await folded.first().click();
}

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
  await page.getByRole('dialog').waitFor();
}

const FOLDERS = {
  ...{ path: '/home/you/sh', kind: 'missing', inRepository: false, truncated: false },
  folders: ['shop', 'shop-docs'].map((name) => ({ name, path: `/home/you/${name}`, isRepository: name === 'shop' })),
};

/** Every page and view of the dashboard. */
export const VIEWS: Readonly<Record<string, View>> = {
  inbox: plain('/'),
  sessions: plain('/sessions'),
  'sessions-none': {
    page: '/sessions',
    open: (page, world) => goTo(page, world, '/sessions?q=no-such-session'),
  },
  session: ofSession('read', reachEnd),
  'session-unfolded': ofSession('read', unfoldAll),
  'session-start': ofSession('read', async (page) => {
    await unfoldAll(page);
    await page.getByRole('log').evaluate((element) => {
      element.scrollTop = 0;
    });
  }),
  'session-asking': ofSession('asking'),
  'session-failed': ofSession('failed'),
  'session-find': ofSession('read', async (page) => {
    await page.keyboard.press('/');
    await page.getByLabel('Find in the conversation').fill('the');
  }),
  'session-menu': ofSession('read', async (page) => {
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menu').waitFor();
  }),
  'session-rename': ofSession('read', (page) => choose(page, 'Rename…')),
  'session-remove': ofSession('read', (page) => choose(page, 'Remove…')),
  'session-gone': { page: '/sessions/:id', open: (page, world) => goTo(page, world, '/sessions/s0000000000') },
  changes: {
    page: '/sessions/:id',
    async open(page, world) {
      await goTo(page, world, `/sessions/${world.changed}?view=changes`);
      await page.getByRole('region').first().waitFor();
    },
  },
  'changes-tree': {
    page: '/sessions/:id',
    async open(page, world) {
      await goTo(page, world, `/sessions/${world.changed}?view=changes`);
      await page.getByRole('region').first().waitFor();
      await page.keyboard.press('t');
      await page.getByRole('tree').or(page.getByRole('list')).first().waitFor();
      await settle(page);
    },
  },
  terminal: {
    page: '/sessions/:id',
    async open(page, world) {
      await goTo(page, world, `/sessions/${world.screen}?view=terminal`);
      await page.locator('.xterm-rows').waitFor();
      await page.getByText('Connecting…').waitFor({ state: 'detached' });
      await page.locator('.xterm-rows').getByText(/\w/).first().waitFor();
    },
  },
  events: {
    page: '/sessions/:id',
    async open(page, world) {
      await goTo(page, world, `/sessions/${world.read}?view=events`);
      await page.getByText('user_message').first().click();
      await page
        .getByRole('group', { name: /^Event / })
        .first()
        .waitFor();
    },
  },
  'new-session': {
    page: null,
    async open(page, world) {
      await goTo(page, world, '/');
      await page.getByRole('button', { name: 'New session' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Prompt').fill('Find out why the second page of the orders is empty');
      await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('demo');
      // Fake folders, independent of the machine.
      await page.route('**/api/v1/folders?*', (route) => route.fulfill({ json: FOLDERS }));
      await dialog.getByLabel('Folder').fill(FOLDERS.path);
      await dialog.getByRole('option').nth(1).waitFor();
    },
  },
  palette: {
    page: null,
    async open(page, world) {
      await goTo(page, world, `/sessions/${world.read}`);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
  help: {
    page: null,
    async open(page, world) {
      await goTo(page, world, '/');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
  history: {
    page: '/history',
    async open(page, world) {
      await goTo(page, world, '/history');
      await page.getByRole('main').getByRole('listitem').first().waitFor();
      await settle(page);
    },
  },
  'history-none': {
    page: '/history',
    open: (page, world) => goTo(page, world, '/history?q=nothing-has-this-word'),
  },
  stored: {
    page: '/history/:agent/:agentSessionId',
    async open(page, world) {
      await goTo(page, world, world.stored);
      await page.getByRole('log').waitFor();
    },
  },
  usage: plain('/usage'),
  agents: plain('/agents'),
  agent: { page: '/agents/:agent', open: (page, world) => goTo(page, world, '/agents/codex') },
  'agent-install': {
    page: '/agents/:agent',
    async open(page, world) {
      await goTo(page, world, '/agents/codex');
      await page.getByRole('button', { name: /^(?:Install|Update)…$/ }).click();
      await page.getByRole('dialog').getByLabel('Commands').waitFor();
    },
  },
  'audit-log': { page: '/audit', open: (page, world) => goTo(page, world, '/audit') },
  'audit-log-all': { page: '/audit', open: (page, world) => goTo(page, world, '/audit?show=all') },
  settings: {
    page: '/settings',
    async open(page, world) {
      await goTo(page, world, '/settings');
      const folded = page.locator('main details:not([open]) > summary');
      for (let left = await folded.count(); left > 0; left -= 1) await folded.first().click();
    },
  },
  'no-such-page': { page: null, open: (page, world) => goTo(page, world, '/nowhere') },
};
