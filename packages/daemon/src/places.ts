import { dirname, join } from 'node:path';
import { stateFolder } from '@agent-mux/core/light';

/** Where the daemon keeps what it has; all of it readable for its owner alone. */
export interface Places {
  root: string;
  /** How a running daemon is found: pid, start time, address. */
  record: string;
  token: string;
  log: string;
  database: string;
  /** A folder per session: its journal, and `keeper.json` while a keeper holds it. */
  sessions: string;
  /** Large payloads by their hash. */
  blobs: string;
  /** Files that were handed in. */
  files: string;
  worktrees: string;
  /** What was in removed worktrees and no commit holds, a folder per session. It is the user's: nothing here removes it. */
  saved: string;
  /** Empty folders that were asked for, to try something in. */
  scratch: string;
  /** Pages that lead a browser to a login link, while the link works. */
  loginPages: string;
}

export function placesIn(root: string): Places {
  return {
    root,
    record: join(root, 'daemon.json'),
    token: join(root, 'token'),
    log: join(root, 'daemon.log'),
    database: join(root, 'store.sqlite'),
    sessions: join(root, 'sessions'),
    blobs: join(root, 'blobs'),
    files: join(root, 'files'),
    worktrees: join(root, 'worktrees'),
    saved: join(root, 'saved'),
    scratch: join(root, 'scratch'),
    loginPages: join(root, 'login-pages'),
  };
}

export function findPlaces(env: NodeJS.ProcessEnv = process.env): Places {
  return placesIn(join(stateFolder(env), 'daemon'));
}

/** The same for a keeper, which knows the folder of its session and nothing else. */
export function blobsBeside(sessionFolder: string): string {
  return join(dirname(dirname(sessionFolder)), 'blobs');
}

/** The segments of a session's journal, in the session's folder. */
export function journalIn(sessionFolder: string): string {
  return join(sessionFolder, 'journal');
}
