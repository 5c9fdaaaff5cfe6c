import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { PUBLIC_KEY } from '../model/incoming.ts';
import type { AgentProof, ProofPlace } from './agent-proof.ts';

/** The environment of a user who has nothing but this agent: no variable of the host passes, but for PATH. */
export function cleanEnvironment(proof: AgentProof, place: ProofPlace, path: string): Record<string, string> {
  return {
    PATH: path,
    HOME: place.home,
    USER: 'proof',
    LOGNAME: 'proof',
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMPDIR: tmpdir(),
    // Only loopback is there, whatever a proxy of the host may reach.
    NO_PROXY: '*',
    // Of no agent, unless the user's configuration names it.
    PROOF_NAMED_KEY: PUBLIC_KEY,
    ...proof.env(place),
  };
}

/** PATH with these folders first, and the node that runs this, which CLIs written for node need. */
export function pathWith(folders: readonly string[], hostPath: string): string {
  return [...folders, dirname(process.execPath), hostPath].filter(Boolean).join(delimiter);
}

/** `warm` holds what the CLI unpacks at its first start, shared by all homes of a proof. */
export function prepareHome(proof: AgentProof, place: ProofPlace, warm: string | undefined): void {
  mkdirSync(place.home, { recursive: true });
  for (const name of warm ? (proof.warmFolders ?? []) : []) {
    const [shared, own] = [join(warm!, name), join(place.home, name)];
    mkdirSync(shared, { recursive: true });
    mkdirSync(dirname(own), { recursive: true });
    symlinkSync(shared, own);
  }
  for (const [name, content] of Object.entries(proof.files?.(place) ?? {})) {
    const path = join(place.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** What every run of the proof is given beside the user's environment. */
export function runEnvironment(proof: AgentProof, warm: string | undefined): Record<string, string> {
  // Large CLIs of node are compiled at each start otherwise.
  return { ...(warm ? { NODE_COMPILE_CACHE: join(warm, 'compile-cache') } : {}), ...proof.runEnv };
}
