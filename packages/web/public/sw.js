// Keeps the shell of the app, so that an installed one opens without the daemon and says that it waits for it. Data is never kept.
const SHELL = 'agent-mux-shell-2';
/** The page names its entry, the entry names the pages, and those name their views. What is deeper is fetched when it is used. */
const DEPTH = 3;

self.addEventListener('install', (event) => {
  event.waitUntil(keepAll());
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), dropOlder()]));
});

async function dropOlder() {
  for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
}

async function keepAll() {
  const cache = await caches.open(SHELL);
  await cache.add('/icon.svg');
  await keepPage(cache, await fetch('/'));
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith('/assets/')) event.respondWith(fromCacheFirst(request));
  else if (request.mode === 'navigate' && !/^\/(?:api|docs)(?:\/|$)/.test(url.pathname))
    event.respondWith(fromNetworkFirst(request));
});

/** A page that is open shows it; else one is opened. */
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const path = event.notification.data?.path ?? '/';
  event.waitUntil(showPath(path));
});

async function showPath(path) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page =
    pages.find(({ url }) => new URL(url).pathname === path) ?? pages.find(({ focused }) => focused) ?? pages[0];
  if (!page) {
    await self.clients.openWindow(path);
    return;
  }
  page.postMessage({ open: path });
  await page.focus().catch(() => undefined);
}

/** The name of an asset is made of its content. */
async function fromCacheFirst(request) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** A new build has new assets: with its page come those, and the old ones go. */
async function fromNetworkFirst(request) {
  const cache = await caches.open(SHELL);
  try {
    const response = await fetch(request);
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html'))
      await keepPage(cache, response.clone());
    return response;
  } catch {
    return (await cache.match('/')) ?? Response.error();
  }
}

async function keepPage(cache, response) {
  const text = await response.clone().text();
  const before = await (await cache.match('/'))?.text();
  if (before === text) return;
  for (const request of await cache.keys())
    if (new URL(request.url).pathname.startsWith('/assets/')) await cache.delete(request);
  await cache.put('/', response);
  await keepAssets(cache, text);
}

/** The first visit has loaded them before this worker was there: without them the page that is kept stays empty. */
async function keepAssets(cache, page) {
  const known = new Set();
  let texts = [page];
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const paths = new Set(texts.flatMap((text) => text.match(/(?<=["'/])assets\/[\w.-]+\.(?:js|css)/g) ?? []));
    const fresh = [...paths].filter((path) => !known.has(path));
    for (const path of fresh) known.add(path);
    texts = await Promise.all(fresh.map((path) => keepAsset(cache, `/${path}`)));
  }
}

/** Its text, where it may name others. */
async function keepAsset(cache, path) {
  const response = (await cache.match(path)) ?? (await fetch(path));
  if (!response.ok) return '';
  await cache.put(path, response.clone());
  return path.endsWith('.js') ? response.text() : '';
}
