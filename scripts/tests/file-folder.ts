/** Each test file has its own temporary folder, which must be empty after its last hook. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { useAsTemporary } from './temporary.ts';

const SHOWN = 20;
/** npm keeps its compiled code there, for itself. */
const OF_NPM = 'node-compile-cache';
// Types are stripped once for each source, not once for each test file.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/agent-mux-tests'));
const folder = mkdtempSync(join(tmpdir(), 't'));
useAsTemporary(folder);

// The first hook that is registered is the last to run.
afterAll(() => {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name !== OF_NPM) : [];
  const left = names.map(described);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  if (left.length === 0) return;
  const more = left.length > SHOWN ? [`and ${left.length - SHOWN} more`] : [];
  throw new Error(
    `${expect.getState().testPath} left this in the temporary folder; remove it in afterEach or afterAll:\n  ${[...left.slice(0, SHOWN), ...more].join('\n  ')}`,
  );
});

/** A folder is known better by what is in it than by its random name. */
function described(name: string): string {
  const path = join(folder, name);
  const inside = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
  return inside.length === 0 ? name : `${name} (with ${inside.slice(0, 3).join(', ')})`;
}
