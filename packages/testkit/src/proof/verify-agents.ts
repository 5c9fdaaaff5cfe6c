import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import type { AgentProof } from './agent-proof.ts';
import { agentProofs } from './agents/index.ts';
import { type CaseResult, casesFor, runCases } from './run-cases.ts';
import { pathWith } from './surroundings.ts';

export interface ToProve {
  adapter: AgentAdapter;
  cliPath: string | null;
}

/** What was tried with the real CLI, and what came of it. */
export interface Proven {
  agent: string;
  mode: string | null;
  case: string | null;
  /** A sentence of behaviour. */
  title: string;
  status: 'passed' | 'failed' | 'skipped';
  detail?: string;
  durationMs: number;
}

interface VerifyRequest {
  agents: readonly ToProve[];
  /** Undefined: every mode. */
  mode: string | undefined;
  /** Empty: all that the mode declares. */
  cases: readonly string[];
  /** PATH of the host. */
  path: string;
  onOutcome: (outcome: Proven) => void;
  /** Is the caller's, and stays. Undefined: one of its own, which stays only where something failed. */
  folder?: string;
}

/** What would be tried, in its order. Nothing: there are no proof cases for this agent. */
export function planProof(adapter: AgentAdapter): Pick<Proven, 'mode' | 'case' | 'title'>[] {
  const proof = agentProofs[adapter.agent];
  if (!proof) return [];
  return modesOf(adapter).flatMap((mode) =>
    casesFor(adapter, mode, proof).map(({ id, title }) => ({ mode: mode.name, case: id, title })),
  );
}

/** One agent, one mode, one case after the other. */
export async function verifyAgents(request: VerifyRequest): Promise<Proven[]> {
  const outcomes: Proven[] = [];
  const tell = (outcome: Proven) => {
    outcomes.push(outcome);
    request.onOutcome(outcome);
  };
  const folder = request.folder ?? mkdtempSync(join(tmpdir(), 'amux-verify-'));
  try {
    for (const agent of request.agents) {
      const proof = agentProofs[agent.adapter.agent];
      const modes = modesOf(agent.adapter).filter(({ name }) => request.mode === undefined || name === request.mode);
      if (!proof) tell(skipAgent(agent.adapter.agent, 'there are no proof cases for this agent'));
      else if (modes.length === 0) tell(skipAgent(agent.adapter.agent, `it has no mode "${request.mode}"`));
      else for (const mode of modes) await verifyMode({ ...agent, proof, mode }, { request, folder, tell });
    }
    return outcomes;
  } finally {
    // What failed is named with its folder, for whoever wants to know why.
    if (request.folder === undefined && outcomes.every(({ status }) => status !== 'failed'))
      rmSync(folder, { recursive: true, force: true });
  }
}

async function verifyMode(
  { adapter, cliPath, proof, mode }: ToProve & { proof: AgentProof; mode: AgentMode },
  { request, folder, tell }: { request: VerifyRequest; folder: string; tell: (outcome: Proven) => void },
): Promise<void> {
  const cases = casesFor(adapter, mode, proof).filter(
    ({ id }) => request.cases.length === 0 || request.cases.includes(id),
  );
  const own = join(folder, adapter.agent, mode.name);
  mkdirSync(own, { recursive: true });
  const titles = new Map(cases.map(({ id, title }) => [id, title]));
  await runCases({
    adapter,
    proof,
    mode,
    cases,
    folder: own,
    path: pathWith(cliPath === null ? [] : [dirname(cliPath)], request.path),
    onResult: (result) => tell(provenOf(result, titles.get(result.case) ?? result.case, join(own, result.case))),
  });
}

function provenOf(result: CaseResult, title: string, folder: string): Proven {
  const { agent, mode, ok, ms, notAsserted } = result;
  const about = { agent, mode, case: result.case, title, durationMs: ms };
  if (ok) return { ...about, status: 'passed', ...(notAsserted ? { detail: notAssertedText(notAsserted) } : {}) };
  return { ...about, status: 'failed', detail: `${result.error ?? 'it did not hold'}; see ${folder}` };
}

/** Part of a passed case that a quirk of the CLI switches off. */
function notAssertedText(claims: readonly string[]): string {
  return `not asserted: ${claims.join('; ')}`;
}

function skipAgent(agent: string, title: string): Proven {
  return { agent, mode: null, case: null, title, status: 'skipped', durationMs: 0 };
}
