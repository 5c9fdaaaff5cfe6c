import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import type { AgentSetup } from './agent-setup.ts';
import { agentSetups } from './agents/index.ts';
import { pathWith } from './environment.ts';
import { type CaseResult, casesFor, runCases } from './run-cases.ts';

export interface VerifyTarget {
  adapter: AgentAdapter;
  cliPath: string | null;
}

/** A case that was run with the real CLI, and its result. */
export interface VerifyOutcome {
  agent: string;
  mode: string | null;
  case: string | null;
  /** The verified behavior, as a sentence. */
  title: string;
  status: 'passed' | 'failed' | 'skipped';
  detail?: string;
  durationMs: number;
}

interface VerifyRequest {
  agents: readonly VerifyTarget[];
  /** Undefined: every mode. */
  mode: string | undefined;
  /** Empty: all that the mode declares. */
  cases: readonly string[];
  /** PATH of the host. */
  path: string;
  onOutcome: (outcome: VerifyOutcome) => void;
  /** Belongs to the caller, and stays. Undefined: a new one, which stays only if something failed. */
  folder?: string;
}

/** The cases that would run, in order. Empty: no verification cases for this agent. */
export function planVerification(adapter: AgentAdapter): Pick<VerifyOutcome, 'mode' | 'case' | 'title'>[] {
  const setup = agentSetups[adapter.agent];
  if (!setup) return [];
  return modesOf(adapter).flatMap((mode) =>
    casesFor(adapter, mode, setup).map(({ id, title }) => ({ mode: mode.name, case: id, title })),
  );
}

/** One agent, one mode, one case after the other. */
export async function verifyAgents(request: VerifyRequest): Promise<VerifyOutcome[]> {
  const outcomes: VerifyOutcome[] = [];
  const report = (outcome: VerifyOutcome) => {
    outcomes.push(outcome);
    request.onOutcome(outcome);
  };
  const folder = request.folder ?? mkdtempSync(join(tmpdir(), 'amux-verify-'));
  try {
    for (const agent of request.agents) {
      const setup = agentSetups[agent.adapter.agent];
      const modes = modesOf(agent.adapter).filter(({ name }) => request.mode === undefined || name === request.mode);
      if (!setup) report(skipAgent(agent.adapter.agent, 'no verification cases for this agent'));
      else if (modes.length === 0) report(skipAgent(agent.adapter.agent, `it has no mode "${request.mode}"`));
      else for (const mode of modes) await verifyMode({ ...agent, setup, mode }, { request, folder, report });
    }
    return outcomes;
  } finally {
    // Failures are reported with their folder, for debugging.
    if (request.folder === undefined && outcomes.every(({ status }) => status !== 'failed'))
      rmSync(folder, { recursive: true, force: true });
  }
}

async function verifyMode(
  { adapter, cliPath, setup, mode }: VerifyTarget & { setup: AgentSetup; mode: AgentMode },
  { request, folder, report }: { request: VerifyRequest; folder: string; report: (outcome: VerifyOutcome) => void },
): Promise<void> {
  const cases = casesFor(adapter, mode, setup).filter(
    ({ id }) => request.cases.length === 0 || request.cases.includes(id),
  );
  const own = join(folder, adapter.agent, mode.name);
  mkdirSync(own, { recursive: true });
  const titles = new Map(cases.map(({ id, title }) => [id, title]));
  await runCases({
    adapter,
    setup,
    mode,
    cases,
    folder: own,
    path: pathWith(cliPath === null ? [] : [dirname(cliPath)], request.path),
    onResult: (result) => report(outcomeOf(result, titles.get(result.case) ?? result.case, join(own, result.case))),
  });
}

function outcomeOf(result: CaseResult, title: string, folder: string): VerifyOutcome {
  const { agent, mode, ok, ms, notAsserted } = result;
  const about = { agent, mode, case: result.case, title, durationMs: ms };
  if (ok) return { ...about, status: 'passed', ...(notAsserted ? { detail: notAssertedText(notAsserted) } : {}) };
  return { ...about, status: 'failed', detail: `${result.error ?? 'it did not hold'}; see ${folder}` };
}

/** Part of a passed case that a quirk of the CLI switches off. */
function notAssertedText(claims: readonly string[]): string {
  return `not asserted: ${claims.join('; ')}`;
}

function skipAgent(agent: string, title: string): VerifyOutcome {
  return { agent, mode: null, case: null, title, status: 'skipped', durationMs: 0 };
}
