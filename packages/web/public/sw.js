// Caches the app shell, so that an installed app opens while the daemon is down and says so. Data is never cached.
const SHELL = 'agent-mux-shell-2';
/**
 * The document names its entry script, the entry names the pages, the pages name their views. Deeper assets load on
 * use.
 */
const DEPTH = 3;

self.addEventListener('install', (event) => {
  event.waitUntil(cacheShell());
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), deleteOldCaches()]));
});

async function deleteOldCaches() {
  for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
}

async function cacheShell() {
  const cache = await caches.open(SHELL);
  await cache.add('/icon.svg');
  await cachePage(cache, await fetch('/'));
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith('/assets/')) event.respondWith(fromCacheFirst(request));
  else if (request.mode === 'navigate' && !/^\/(?:api|docs)(?:\/|$)/.test(url.pathname))
    event.respondWith(fromNetworkFirst(request));
});

/** Shows the notification's page in an open window, or opens a new one. */
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

/** Asset names contain a content hash, so a cached asset never goes stale. */
async function fromCacheFirst(request) {
  const cache = await caches.open(SHELL);
  const cached = await cache.match(request);
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** A new build has new assets: a changed document replaces all cached assets. */
async function fromNetworkFirst(request) {
  const cache = await caches.open(SHELL);
  try {
    const response = await fetch(request);
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html'))
      await cachePage(cache, response.clone());
    return response;
  } catch {
    return (await cache.match('/')) ?? Response.error();
  }
}

async function cachePage(cache, response) {
  const text = await response.clone().text();
  const before = await (await cache.match('/'))?.text();
  if (before === text) return;
  for (const request of await cache.keys())
    if (new URL(request.url).pathname.startsWith('/assets/')) await cache.delete(request);
  await cache.put('/', response);
  await cacheAssets(cache, text);
}

/** The first visit loads the assets before this worker runs; without them the cached document would stay blank. */
async function cacheAssets(cache, page) {
  const known = new Set();
  let texts = [page];
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const paths = new Set(texts.flatMap((text) => text.match(/(?<=["'/])assets\/[\w.-]+\.(?:js|css)/g) ?? []));
    const fresh = [...paths].filter((path) => !known.has(path));
    for (const path of fresh) known.add(path);
    texts = await Promise.all(fresh.map((path) => cacheAsset(cache, `/${path}`)));
  }
}

/** Returns the asset's text if it may name further assets. */
async function cacheAsset(cache, path) {
  const response = (await cache.match(path)) ?? (await fetch(path));
  if (!response.ok) return '';
  await cache.put(path, response.clone());
  return path.endsWith('.js') ? response.text() : '';
}
