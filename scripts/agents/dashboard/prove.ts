import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { CaseResult } from '@agent-mux/testkit';
import { findBrowser } from '../../packages/web/test/find-browser.ts';
import type { Isolation } from './isolation.ts';

const WORKER = join(import.meta.dirname, 'dashboard-worker.ts');
/** Those that stand for all: one asks by its own protocol, the other by JSON-RPC. */
const AGENTS = ['claude', 'codex'];
const LIMIT_MS = 4 * 60_000;

export interface DashboardJob {
  agent: string;
  /** PATH with its CLI. */
  path: string;
}

/** A few agents in the dashboard, in a real browser; none where there is no browser. */
export async function proveInDashboard(jobs: readonly DashboardJob[], isolation: Isolation): Promise<CaseResult[]> {
  if (findBrowser() === undefined) return [];
  const results: CaseResult[] = [];
  for (const job of jobs) if (AGENTS.includes(job.agent)) results.push(await runWorker(job, isolation));
  return results;
}

async function runWorker(job: DashboardJob, { prefix }: Isolation): Promise<CaseResult> {
  const node = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', WORKER];
  const [command, ...args] = [...prefix, process.execPath, ...node];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: LIMIT_MS });
  let [output, trouble] = ['', ''];
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (trouble += text));
  child.stdin.end(JSON.stringify(job));
  await new Promise((resolve) => child.on('close', resolve));
  if (output !== '') return JSON.parse(output);
  const { agent } = job;
  return { agent, mode: 'dashboard', case: 'begun-allowed-denied', folder: '', ok: false, ms: 0, error: trouble };
}
