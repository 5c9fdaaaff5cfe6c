import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CaseResult } from '@agent-mux/testkit';
import type { Isolation } from './isolation.ts';
import type { WorkerJob } from './job.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
/** A case has its own limit; this one is for a worker that does not even keep that. */
const JOB_LIMIT_MS = 15 * 60_000;

export type Job = Omit<WorkerJob, 'folder' | 'warm'>;

export interface Pool {
  isolation: Isolation;
  scratch: string;
  atOnce: number;
  onResult(result: CaseResult): void;
}

let jobs = 0;

/** Runs the jobs, some at once; every case of every job gets a result. */
export async function runJobs(queue: readonly Job[], pool: Pool): Promise<CaseResult[]> {
  const waiting = [...queue];
  const results: CaseResult[] = [];
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) results.push(...(await runJob(job, pool)));
  };
  await Promise.all(Array.from({ length: Math.min(pool.atOnce, queue.length) }, work));
  return results;
}

async function runJob(job: Job, pool: Pool): Promise<CaseResult[]> {
  const folder = join(pool.scratch, `${++jobs}-${job.agent}-${job.mode}`);
  mkdirSync(folder, { recursive: true });
  const node = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', WORKER];
  const [command, ...args] = [...pool.isolation.prefix, process.execPath, ...node];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: JOB_LIMIT_MS });
  const results: CaseResult[] = [];
  let trouble = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    trouble = (trouble + text).slice(-2000);
  });
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify({ ...job, folder, warm: join(pool.scratch, 'warm', job.agent) } satisfies WorkerJob));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const result: CaseResult = JSON.parse(line);
    results.push(result);
    pool.onResult(result);
  });
  const ended = await new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const missing = job.cases.filter((id) => !results.some((result) => result.case === id));
  for (const id of missing) {
    const error = `the worker ended with ${ended} before this case was done\n${trouble}`;
    const result = { agent: job.agent, mode: job.mode, case: id, folder, ok: false, ms: 0, error };
    results.push(result);
    pool.onResult(result);
  }
  return results;
}
