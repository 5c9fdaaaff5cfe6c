import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CaseResult } from '@agent-mux/testkit';
import { findBrowser } from '../../../packages/web/test/find-browser.ts';
import type { Isolation } from '../isolation.ts';
import { dashboardCasesFor } from './cases.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
/** Two representative agents: one with its own request protocol, one with JSON-RPC. */
const AGENTS = ['claude', 'codex'];
const LIMIT_MS = 15 * 60_000;
export const DASHBOARD = 'dashboard';

export interface DashboardJob {
  agent: string;
  /** PATH that includes the agent's CLI. */
  path: string;
  cases: string[];
}

/** Dashboard jobs for these agents and the wanted cases (default: all); empty if no browser is installed. */
export function planDashboard(
  agents: readonly { agent: string; path: string }[],
  wanted: readonly string[] | undefined,
): DashboardJob[] {
  if (findBrowser() === undefined) return [];
  return agents
    .filter(({ agent }) => AGENTS.includes(agent))
    .map(({ agent, path }) => {
      const all = dashboardCasesFor(agent).map(({ id }) => id);
      return { agent, path, cases: all.filter((id) => wanted?.includes(id) ?? true) };
    })
    .filter(({ cases }) => cases.length > 0);
}

/** Runs a job with its own daemon and browser. Every case gets a result. */
export async function runInDashboard(
  job: DashboardJob,
  { prefix }: Isolation,
  onResult: (result: CaseResult) => void,
): Promise<CaseResult[]> {
  const node = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', WORKER];
  const [command, ...args] = [...prefix, process.execPath, ...node];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: LIMIT_MS });
  const results: CaseResult[] = [];
  const report = (result: CaseResult) => {
    results.push(result);
    onResult(result);
  };
  let stderr = '';
  child.stderr.on('data', (text) => (stderr = (stderr + text).slice(-2000)));
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(job));
  createInterface({ input: child.stdout }).on('line', (line) => report(JSON.parse(line)));
  await new Promise((resolve) => child.on('close', resolve));
  const { agent } = job;
  for (const id of job.cases.filter((each) => !results.some((result) => result.case === each)))
    report({
      ...{ agent, mode: DASHBOARD, carrier: 'daemon', case: id },
      ...{ folder: '', ok: false, ms: 0, error: `did not run: ${stderr}` },
    });
  return results;
}
