import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '@agent-mux/core';
import type { CaseResult } from '@agent-mux/testkit';
import type { Isolation } from './isolation.ts';
import type { WorkerJob } from './job.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
/** A case has its own limit; this one is for a worker that does not even keep that. */
const JOB_LIMIT_MS = 15 * 60_000;

export interface Job extends Omit<WorkerJob, 'folder' | 'warm' | 'path'> {
  /** Comes when the CLI is installed, which may take longer than the jobs of another agent. */
  path: Promise<string>;
}

export interface Pool {
  isolation: Isolation;
  scratch: string;
  atOnce: number;
  onResult(result: CaseResult): void;
}

let jobs = 0;
const workers = new Set<ChildProcess>();

/** A worker goes with everything in its namespace. */
export function endWorkers(): void {
  for (const worker of workers) worker.kill('SIGKILL');
}

/** Runs the jobs, some at once; every case of every job gets a result. */
export async function runJobs(queue: readonly Job[], pool: Pool): Promise<CaseResult[]> {
  const waiting = [...queue];
  const installed = new Set<Job>();
  for (const job of queue) {
    const note = () => void installed.add(job);
    job.path.then(note, note);
  }
  const next = async (): Promise<Job | undefined> => {
    while (waiting.length > 0) {
      const index = waiting.findIndex((job) => installed.has(job));
      if (index >= 0) return waiting.splice(index, 1)[0];
      await Promise.race(waiting.map(({ path }) => path.catch(() => {})));
    }
    return undefined;
  };
  const results: CaseResult[] = [];
  const work = async () => {
    for (let job = await next(); job; job = await next()) results.push(...(await runJob(job, pool)));
  };
  await Promise.all(Array.from({ length: Math.min(pool.atOnce, queue.length) }, work));
  return results;
}

async function runJob(job: Job, pool: Pool): Promise<CaseResult[]> {
  const folder = join(pool.scratch, `${++jobs}-${job.agent}-${job.mode}-${job.carrier}`);
  mkdirSync(folder, { recursive: true });
  const results: CaseResult[] = [];
  const give = (result: CaseResult) => {
    results.push(result);
    pool.onResult(result);
  };
  const problem = await job.path.then(
    (path) => runWorker({ ...job, path, folder, warm: join(pool.scratch, 'warm', job.agent) }, pool, give),
    messageOf,
  );
  for (const id of job.cases.filter((each) => !results.some((result) => result.case === each)))
    give({
      agent: job.agent,
      mode: job.mode,
      carrier: job.carrier,
      case: id,
      folder,
      ok: false,
      ms: 0,
      error: problem,
    });
  return results;
}

/** How the worker ended, for the cases that it has given no result for. */
async function runWorker(job: WorkerJob, pool: Pool, give: (result: CaseResult) => void): Promise<string> {
  const node = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', WORKER];
  const [command, ...args] = [...pool.isolation.prefix, process.execPath, ...node];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: JOB_LIMIT_MS });
  workers.add(child);
  let stderrTail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-2000);
  });
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(job));
  createInterface({ input: child.stdout }).on('line', (line) => give(JSON.parse(line)));
  const ended = await new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  workers.delete(child);
  return `the worker ended with ${ended} before this case was done\n${stderrTail}`;
}
