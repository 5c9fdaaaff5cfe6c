import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

const SCRIPTS = join(import.meta.dirname, 'fakes');

/** A PATH with a command for every script in `fakes/`; each behaves like its agent is documented. */
export function standInPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-mux-fakes-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  for (const script of readdirSync(SCRIPTS)) {
    const command = join(folder, script.replace(/\.mjs$/, ''));
    writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${join(SCRIPTS, script)}' "$@"\n`);
    chmodSync(command, 0o755);
  }
  return [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
}
