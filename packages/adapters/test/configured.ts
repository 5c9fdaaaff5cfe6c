import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { type ConfiguredClient, createConfiguredClient } from '../src/configured-client.ts';

export interface User {
  home: string;
  /** An empty folder of the user. */
  cwd: string;
  configFolder: string;
  env: NodeJS.ProcessEnv;
}

const left: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const tidyUp of left.splice(0).reverse()) await tidyUp();
});

/** A user whose configuration file holds these agents; deleted after the test. */
export function newUser(agents: readonly unknown[], env: NodeJS.ProcessEnv = {}): User {
  const home = mkdtempSync(join(tmpdir(), 'agent-mux-user-'));
  left.push(() => rmSync(home, { recursive: true, force: true }));
  const user: User = {
    home,
    cwd: join(home, 'work'),
    configFolder: join(home, '.config', 'agent-mux'),
    env: { HOME: home, PATH: ['/usr/bin', '/bin'].join(delimiter), ...env },
  };
  mkdirSync(user.cwd);
  writeAgents(user, agents);
  return user;
}

export function writeAgents({ configFolder }: User, agents: readonly unknown[]): string {
  const file = join(configFolder, 'config.json');
  mkdirSync(configFolder, { recursive: true });
  writeFileSync(file, JSON.stringify({ agents }, null, 2));
  return file;
}

export function openClient({ env, home }: User): ConfiguredClient {
  const client = createConfiguredClient({ env, cwd: home, runIndex: false });
  left.push(() => client.close());
  return client;
}

/** A program that logs its input as JSON, and then runs `code` (where `given` is the input). */
export function recorder(path: string, record: string, code: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const script = `${path}.mjs`;
  writeFileSync(
    script,
    `import { appendFileSync } from 'node:fs';
const given = { args: process.argv.slice(2), cwd: process.cwd(), env: process.env };
appendFileSync(${JSON.stringify(record)}, JSON.stringify(given) + '\\n');
${code}
`,
  );
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  chmodSync(path, 0o755);
}
