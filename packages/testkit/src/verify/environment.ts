import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { PUBLIC_KEY } from '../model/incoming.ts';
import type { AgentSetup, VerifySandbox } from './agent-setup.ts';

/** The environment of a user who has only this agent: no variable of the host passes, except PATH. */
export function cleanEnvironment(setup: AgentSetup, place: VerifySandbox, path: string): Record<string, string> {
  return {
    PATH: path,
    HOME: place.home,
    USER: 'verify',
    LOGNAME: 'verify',
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMPDIR: tmpdir(),
    // Only loopback is reachable, whatever a proxy of the host offers.
    NO_PROXY: '*',
    // Not used by any agent, unless the user's configuration names it.
    VERIFY_NAMED_KEY: PUBLIC_KEY,
    ...setup.env(place),
  };
}

/** PATH with these folders first, and the node that runs this, which CLIs written for node need. */
export function pathWith(folders: readonly string[], hostPath: string): string {
  return [...folders, dirname(process.execPath), hostPath].filter(Boolean).join(delimiter);
}

/** `warm` holds files that the CLI unpacks at its first start, shared by all homes of a verification. */
export function prepareHome(setup: AgentSetup, place: VerifySandbox, warm: string | undefined): void {
  mkdirSync(place.home, { recursive: true });
  for (const name of warm ? (setup.warmFolders ?? []) : []) {
    const [shared, own] = [join(warm!, name), join(place.home, name)];
    mkdirSync(shared, { recursive: true });
    mkdirSync(dirname(own), { recursive: true });
    symlinkSync(shared, own);
  }
  for (const [name, content] of Object.entries(setup.files?.(place) ?? {})) {
    const path = join(place.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** Variables of every run, in addition to the user's environment. */
export function runEnvironment(setup: AgentSetup, warm: string | undefined): Record<string, string> {
  // Otherwise large node CLIs are compiled at each start.
  return { ...(warm ? { NODE_COMPILE_CACHE: join(warm, 'compile-cache') } : {}), ...setup.runEnv };
}
