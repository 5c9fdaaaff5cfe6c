import { dirname, join } from 'node:path';
import { stateFolder } from '@agent-mux/core/light';

/** Files and folders of the daemon, all readable by their owner only. */
export interface DaemonPaths {
  root: string;
  /** Record of the running daemon: pid, start time and URL. */
  record: string;
  token: string;
  log: string;
  database: string;
  /** One folder per session, with its journal and, while a keeper runs it, `keeper.json`. */
  sessions: string;
  /** Large payloads, named by hash. */
  blobs: string;
  /** Uploaded files. */
  files: string;
  worktrees: string;
  /** Uncommitted work of removed worktrees, one folder per session. Never deleted automatically. */
  saved: string;
  /** Scratch folders created on request. */
  scratch: string;
  /** Pages that redirect a browser to a login link while the link is valid. */
  loginPages: string;
}

export function daemonPathsIn(root: string): DaemonPaths {
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

export function resolveDaemonPaths(env: NodeJS.ProcessEnv = process.env): DaemonPaths {
  return daemonPathsIn(join(stateFolder(env), 'daemon'));
}

/** `DaemonPaths.blobs` for a keeper, which only knows the folder of its session. */
export function blobsDirFor(sessionFolder: string): string {
  return join(dirname(dirname(sessionFolder)), 'blobs');
}

/** The segments of a session's journal, in the session's folder. */
export function journalIn(sessionFolder: string): string {
  return join(sessionFolder, 'journal');
}
