import { access, constants, type Stats, stat } from 'node:fs';

/*
 * For paths of which most are not there, and which are looked for by the dozen at every start. By callbacks: the promises of
 * node take several times as long, and loading them takes as long as fifty looks.
 */

export function lookAt(path: string): Promise<Stats> {
  return new Promise((resolve, reject) => {
    stat(path, (error, stats) => (error ? reject(error) : resolve(stats)));
  });
}

/** Rejects as `access` does: by default where nothing is there. */
export function assertAccess(path: string, mode: number = constants.F_OK): Promise<void> {
  return new Promise((resolve, reject) => {
    access(path, mode, (error) => (error ? reject(error) : resolve()));
  });
}
