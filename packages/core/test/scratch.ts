import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll } from 'vitest';

export interface Scratch {
  home: string;
  bin: string;
  env: NodeJS.ProcessEnv;
  write(path: string, text: string): string;
  /** A shell script on this PATH. */
  command(name: string, script: string): string;
}

/** Empty homes for tests; all are removed afterwards. */
export function useScratch(): () => Scratch {
  const homes: string[] = [];
  afterAll(() => {
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });
  return () => {
    const home = mkdtempSync(join(tmpdir(), 'agent-mux-home-'));
    homes.push(home);
    const bin = join(home, 'path');
    mkdirSync(bin);
    const write = (path: string, text: string) => {
      const whole = join(home, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text);
      return whole;
    };
    const command = (name: string, script: string) => {
      const path = write(join('path', name), `#!/bin/sh\n${script}\n`);
      chmodSync(path, 0o755);
      return path;
    };
    return { home, bin, write, command, env: { HOME: home, PATH: [bin, '/usr/bin', '/bin'].join(delimiter) } };
  };
}
