import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { DaemonClient } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core/light';
import { UsageError } from '../usage-error.ts';

/** Uploads files to the daemon and returns their ids. Paths are checked before the first upload. */
export async function uploadFiles(daemon: DaemonClient, paths: readonly string[]): Promise<string[]> {
  const files = paths.map((path) => resolve(path));
  files.forEach(assertFile);
  const ids: string[] = [];
  for (const file of files) ids.push((await daemon.files.upload(basename(file), file)).id);
  return ids;
}

function assertFile(path: string): void {
  try {
    if (statSync(path).isFile()) return;
  } catch (error) {
    throw new UsageError(`--attach: ${messageOf(error)}`);
  }
  throw new UsageError(`--attach: not a regular file: ${path}`, 'for a folder, use --add-dir or name it in the prompt');
}
