import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CaseResult } from '@agent-mux/testkit';
import { findBrowser } from '../../../packages/web/test/find-browser.ts';
import type { Isolation } from '../isolation.ts';
import { dashboardCasesFor } from './cases.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
/** Those that stand for all: one asks by its own protocol, the other by JSON-RPC. */
const AGENTS = ['claude', 'codex'];
const LIMIT_MS = 15 * 60_000;
export const DASHBOARD = 'dashboard';

export interface DashboardJob {
  agent: string;
  /** PATH with its CLI. */
  path: string;
  cases: string[];
}

/** What of `wanted`, or of all, these agents show in the dashboard; nothing where there is no browser. */
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

/** One daemon and one browser for each job; every case of it gets a result. */
export async function runInDashboard(
  job: DashboardJob,
  { prefix }: Isolation,
  onResult: (result: CaseResult) => void,
): Promise<CaseResult[]> {
  const node = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', WORKER];
  const [command, ...args] = [...prefix, process.execPath, ...node];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: LIMIT_MS });
  const results: CaseResult[] = [];
  const give = (result: CaseResult) => {
    results.push(result);
    onResult(result);
  };
  let trouble = '';
  child.stderr.on('data', (text) => (trouble = (trouble + text).slice(-2000)));
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(job));
  createInterface({ input: child.stdout }).on('line', (line) => give(JSON.parse(line)));
  await new Promise((resolve) => child.on('close', resolve));
  const { agent } = job;
  for (const id of job.cases.filter((each) => !results.some((result) => result.case === each)))
    give({
      ...{ agent, mode: DASHBOARD, carrier: 'daemon', case: id },
      ...{ folder: '', ok: false, ms: 0, error: `it was not played: ${trouble}` },
    });
  return results;
}
