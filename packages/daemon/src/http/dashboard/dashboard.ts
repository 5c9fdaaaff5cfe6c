import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/**
 * Nothing comes from elsewhere, no script or style stands in the page itself, and no text becomes script: the one policy of
 * Trusted Types names the service worker, and nothing else can be made with it.
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
/** What is small, or compressed already, is sent as it is. */
const COMPRESSED = /^(?:text\/|application\/(?:manifest|wasm)|image\/svg)/;
const LEAST_BYTES = 1000;
/** The name of a file there is made of its content: whoever has it never asks again. */
const HASHED = '/assets/';

interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  zipped: Uint8Array<ArrayBuffer> | null;
  etag: string;
  mimeType: string;
}

/** The web app, as it was built. */
export interface Dashboard {
  /** Whether a path is a file of the app, or an address that the app itself understands. */
  holds(path: string, request: Pick<Request, 'method' | 'headers'>): boolean;
  respond(path: string, request: Pick<Request, 'headers'>): Promise<Response>;
}

/** Undefined where it was not built. */
export function findDashboard(folder = builtFolder()): Dashboard | undefined {
  if (folder === undefined || !existsSync(join(folder, 'index.html'))) return undefined;
  const kept = new Map<string, Promise<Asset>>();
  let paths = listPaths(folder);
  /** Only what was listed is ever opened, so that no address leads out of the folder. */
  const has = (path: string): boolean => {
    if (paths.has(path)) return true;
    // It may have been built again since.
    if (path.startsWith(HASHED)) paths = listPaths(folder);
    return paths.has(path);
  };
  const load = (path: string): Promise<Asset> => {
    const known = path.startsWith(HASHED) ? kept.get(path) : undefined;
    if (known) return known;
    const loading = loadAsset(join(folder, path), path);
    if (path.startsWith(HASHED)) kept.set(path, loading);
    return loading;
  };
  return {
    holds: (path, request) => has(path) || isVisit(path, request),
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

/** A person who goes to an address of the app; programs are told that nothing is there. */
function isVisit(path: string, { method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  if (path === '/') return true;
  if ((method !== 'GET' && method !== 'HEAD') || /^\/(?:api|assets|docs|metrics)(?:\/|$)/.test(path)) return false;
  return /\btext\/html\b/i.test(headers.get('accept') ?? '');
}

async function loadAsset(file: string, path: string): Promise<Asset> {
  const bytes = new Uint8Array(await readFile(file));
  const mimeType = MIME[extname(path)] ?? 'application/octet-stream';
  const zips = bytes.length >= LEAST_BYTES && COMPRESSED.test(mimeType);
  return {
    bytes,
    zipped: zips ? new Uint8Array(await promisify(gzip)(bytes)) : null,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    mimeType,
  };
}
