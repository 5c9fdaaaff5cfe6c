import type { FolderLimits } from './files/folders.ts';

/** Resource limits for callers. A caller above a limit is refused or disconnected; others are not affected. */
export interface ApiLimits extends FolderLimits {
  /** Above this, the oldest unauthenticated connection is closed or, if there is none, the new one. */
  connections: number;
  /** Open event streams; further ones get TOO_MANY_REQUESTS. */
  streams: number;
  /** Size of all headers of a request. */
  headerBytes: number;
  /** Time to receive the headers of a request. */
  headersMs: number;
  /** Time to receive the whole request. */
  requestMs: number;
  /** Idle connections are closed after this time, except event streams. */
  idleMs: number;
  /** How often the two timeouts above are checked. */
  checkMs: number;
  /** Maximum nesting of a JSON body. */
  jsonDepth: number;
  /** Size of an uploaded file; the limit of the route also applies. */
  fileBytes: number;
  /** Heartbeat interval of an idle stream. */
  heartbeatMs: number;
  /** Maximum size of one read of a stream. */
  pageBytes: number;
  /** Lifetime of a login link. */
  loginCodeMs: number;
  /** How long a browser stays signed in. */
  browserMs: number;
  /** Entries of a workspace folder. More are omitted, which is reported. */
  treeEntries: number;
  /** Total size of a diff. The rest is omitted, which is reported. */
  diffBytes: number;
  diffMs: number;
  /** Number of untracked files. */
  untrackedFiles: number;
}

export const DEFAULT_LIMITS: ApiLimits = {
  connections: 1000,
  streams: 500,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 120_000,
  checkMs: 2_000,
  jsonDepth: 64,
  fileBytes: 100_000_000,
  heartbeatMs: 15_000,
  pageBytes: 256 * 1024,
  loginCodeMs: 5 * 60_000,
  browserMs: 30 * 24 * 3_600_000,
  treeEntries: 5_000,
  folderEntries: 20_000,
  folders: 100,
  foldersMs: 2_000,
  diffBytes: 8_000_000,
  diffMs: 20_000,
  untrackedFiles: 1_000,
};
