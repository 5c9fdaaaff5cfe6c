import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { isRecord } from '@agent-mux/core';

/** Version of the code that this process runs. */
export function readOwnVersion(): string {
  const file = findPackageJSON('..', import.meta.url);
  const manifest: unknown = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'));
  return isRecord(manifest) && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
