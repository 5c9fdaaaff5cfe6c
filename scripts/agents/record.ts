import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modesOf } from '@agent-mux/core';
import { agentProofs, casesFor, NO_PROOFS, type ProofRecord, parseProofRecord } from '@agent-mux/testkit';
import { adapterOf } from './adapters.ts';
import { pinnedCli } from './install.ts';
import type { Outcome } from './table.ts';

const PROOFS_FILE = join(import.meta.dirname, '..', '..', 'docs', 'proofs.json');

export function readProofs(): ProofRecord {
  return existsSync(PROOFS_FILE) ? parseProofRecord(readFileSync(PROOFS_FILE, 'utf8')) : NO_PROOFS;
}

export function writeProofs(proofs: ProofRecord): void {
  writeFileSync(PROOFS_FILE, `${JSON.stringify(proofs, null, 2)}\n`);
}

/** Adds to what is known of the same version. What was proven with another one is forgotten, and what is no longer declared. */
export function withOutcomes(
  { schema, agents: known }: ProofRecord,
  outcomes: readonly Outcome[],
  today: Date,
): ProofRecord {
  const agents = { ...known };
  for (const { agent, mode, case: id, ok } of outcomes) {
    const pinned = pinnedCli(agentProofs[agent]!.cli);
    const version = pinned.tells ?? pinned.version;
    const before = agents[agent]?.version === version ? declared(agent, agents[agent].modes) : {};
    agents[agent] = {
      package: pinned.package,
      version,
      date: today.toISOString().slice(0, 10),
      platform: `${process.platform} ${process.arch}`,
      modes: { ...before, [mode]: { ...before[mode], [id]: ok ? 'passed' : 'failed' } },
    };
  }
  const sorted = Object.entries(agents).sort(([a], [b]) => a.localeCompare(b));
  return { schema, agents: Object.fromEntries(sorted) };
}

type Modes = ProofRecord['agents'][string]['modes'];

function declared(agent: string, modes: Modes): Modes {
  const kept: Modes = {};
  const adapter = adapterOf(agent);
  for (const mode of modesOf(adapter)) {
    const cases = new Set(casesFor(adapter, mode, agentProofs[agent]!, { ofProject: true }).map(({ id }) => id));
    const still = Object.entries(modes[mode.name] ?? {}).filter(([id]) => cases.has(id));
    if (still.length > 0) kept[mode.name] = Object.fromEntries(still);
  }
  return kept;
}
