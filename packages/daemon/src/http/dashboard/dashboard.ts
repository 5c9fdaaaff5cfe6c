import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/**
 * No external resources, no inline scripts or styles, and no text becomes script: the only Trusted Types policy is for
 * the service worker URL.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types agent-mux',
].join('; ');

const MIME: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
/** Types that are sent compressed, unless small. */
const COMPRESSED = /^(?:text\/|application\/(?:manifest|wasm)|image\/svg)/;
const MIN_BYTES = 1000;
/** Files here are named by content hash and can be cached forever. */
const HASHED = '/assets/';

interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  zipped: Uint8Array<ArrayBuffer> | null;
  etag: string;
  mimeType: string;
}

/** The built web app. */
export interface Dashboard {
  /** Whether a path is a file or a route of the app. */
  holds(path: string, request: Pick<Request, 'method' | 'headers'>): boolean;
  respond(path: string, request: Pick<Request, 'headers'>): Promise<Response>;
}

/** Undefined if it was not built. */
export function findDashboard(folder = builtFolder()): Dashboard | undefined {
  if (folder === undefined || !existsSync(join(folder, 'index.html'))) return undefined;
  const cache = new Map<string, Promise<Asset>>();
  let paths = listPaths(folder);
  /** Only listed files are opened, so that no URL leads out of the folder. */
  const has = (path: string): boolean => {
    if (paths.has(path)) return true;
    // The app may have been rebuilt.
    if (path.startsWith(HASHED)) paths = listPaths(folder);
    return paths.has(path);
  };
  const load = (path: string): Promise<Asset> => {
    const known = path.startsWith(HASHED) ? cache.get(path) : undefined;
    if (known) return known;
    const loading = loadAsset(join(folder, path), path);
    if (path.startsWith(HASHED)) cache.set(path, loading);
    return loading;
  };
  return {
    holds: (path, request) => has(path) || isNavigation(path, request),
    async respond(path, { headers }) {
      const isFile = has(path);
      const asset = await load(isFile ? path : '/index.html');
      const { etag, mimeType } = asset;
      const always = {
        etag,
        vary: 'accept-encoding',
        'content-security-policy': POLICY,
        'cache-control': path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
      };
      if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: always });
      const isZipped = asset.zipped !== null && /\bgzip\b/.test(headers.get('accept-encoding') ?? '');
      return new Response(isZipped ? asset.zipped : asset.bytes, {
        headers: { ...always, 'content-type': mimeType, ...(isZipped ? { 'content-encoding': 'gzip' } : {}) },
      });
    },
  };
}

function builtFolder(): string | undefined {
  try {
    return join(dirname(fileURLToPath(import.meta.resolve('@agent-mux/web/package.json'))), 'dist');
  } catch {
    return undefined;
  }
}

function listPaths(folder: string): ReadonlySet<string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Set(names.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length).split(sep).join('/')));
}

/** A browser navigation to a route of the app. Programs get a 404. */
function isNavigation(path: string, { method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  if (path === '/') return true;
  if ((method !== 'GET' && method !== 'HEAD') || /^\/(?:api|assets|docs|metrics)(?:\/|$)/.test(path)) return false;
  return /\btext\/html\b/i.test(headers.get('accept') ?? '');
}

async function loadAsset(file: string, path: string): Promise<Asset> {
  const bytes = new Uint8Array(await readFile(file));
  const mimeType = MIME[extname(path)] ?? 'application/octet-stream';
  const zips = bytes.length >= MIN_BYTES && COMPRESSED.test(mimeType);
  return {
    bytes,
    zipped: zips ? new Uint8Array(await promisify(gzip)(bytes)) : null,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    mimeType,
  };
}
