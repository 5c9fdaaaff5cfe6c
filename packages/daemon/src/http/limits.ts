import type { FolderLimits } from './files/folders.ts';

/** What callers may take of the daemon. At each limit the caller is refused or its connection closed; nobody else notices. */
export interface ApiLimits extends FolderLimits {
  /** At more, the oldest that has shown no token or login is closed; where there is none, the new one. */
  connections: number;
  /** Open event streams; further ones get TOO_MANY_REQUESTS. */
  streams: number;
  /** Of all headers of a request. */
  headerBytes: number;
  /** Within this time the headers of a request must have come. */
  headersMs: number;
  /** Within this time all of a request must have come. */
  requestMs: number;
  /** A connection on which nothing moves for so long is closed; event streams are not. */
  idleMs: number;
  /** How often the two times above are looked at. */
  checkMs: number;
  /** Brackets within brackets in a JSON body. */
  jsonDepth: number;
  /** Of a file that is handed in, at most what its route says. */
  fileBytes: number;
  /** A quiet stream says so this often. */
  heartbeatMs: number;
  /** A reader of a stream gets at most so much at once. */
  pageBytes: number;
  /** So long a login link works. */
  loginCodeMs: number;
  /** So long a browser stays signed in. */
  browserMs: number;
  /** Of a folder of the workspace; the rest is left out, and that is said. */
  treeEntries: number;
  /** Of a diff in all; the rest is left out, and that is said. */
  diffBytes: number;
  diffMs: number;
  /** Files that git does not know yet. */
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
