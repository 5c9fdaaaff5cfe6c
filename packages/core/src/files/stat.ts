import { access, constants, type Stats, stat } from 'node:fs';

/*
 * For paths that mostly do not exist and are checked by the dozen at every start. Uses callbacks: Node's promise API is
 * several times slower, and loading it costs as much as fifty checks.
 */

export function statFile(path: string): Promise<Stats> {
  return new Promise((resolve, reject) => {
    stat(path, (error, stats) => (error ? reject(error) : resolve(stats)));
  });
}

/** Rejects like `access`: by default if the path does not exist. */
export function assertAccess(path: string, mode: number = constants.F_OK): Promise<void> {
  return new Promise((resolve, reject) => {
    access(path, mode, (error) => (error ? reject(error) : resolve()));
  });
}
