import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentProofs, NO_PROOFS, type ProofRecord, parseProofRecord } from '@agent-mux/testkit';
import { pinnedCli } from './install.ts';
import type { Outcome } from './table.ts';

const PROOFS_FILE = join(import.meta.dirname, '..', '..', 'docs', 'proofs.json');

export function readProofs(): ProofRecord {
  return existsSync(PROOFS_FILE) ? parseProofRecord(readFileSync(PROOFS_FILE, 'utf8')) : NO_PROOFS;
}

export function writeProofs(proofs: ProofRecord): void {
  writeFileSync(PROOFS_FILE, `${JSON.stringify(proofs, null, 2)}\n`);
}

/** Adds to what is known of the same version; what was proven with another one is forgotten. */
export function withOutcomes(
  { schema, agents: known }: ProofRecord,
  outcomes: readonly Outcome[],
  today: Date,
): ProofRecord {
  const agents = { ...known };
  for (const { agent, mode, case: id, ok } of outcomes) {
    const { package: name, version } = pinnedCli(agentProofs[agent]!.cli);
    const before = agents[agent]?.version === version ? agents[agent].modes : {};
    agents[agent] = {
      package: name,
      version,
      date: today.toISOString().slice(0, 10),
      platform: `${process.platform} ${process.arch}`,
      modes: { ...before, [mode]: { ...before[mode], [id]: ok ? 'passed' : 'failed' } },
    };
  }
  const sorted = Object.entries(agents).sort(([a], [b]) => a.localeCompare(b));
  return { schema, agents: Object.fromEntries(sorted) };
}
