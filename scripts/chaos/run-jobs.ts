import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Isolation } from '../agents/isolation.ts';

const WORKER = join(import.meta.dirname, 'worker.ts');
const NODE_FLAGS = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];

export interface Pool {
  isolation: Isolation;
  scratch: string;
  atOnce: number;
  limitMs: number;
}

const workers = new Set<ChildProcess>();

/** A worker goes with everything in its namespace. */
export function endWorkers(): void {
  for (const worker of workers) worker.kill('SIGKILL');
}

/** Runs jobs in parallel, each in its own folder and process; removes the folders of passed jobs. */
export async function runJobs<Job, Outcome>(
  jobs: readonly Job[],
  pool: Pool,
  how: {
    nameOf(job: Job): string;
    /** What the worker has printed; undefined: nothing, and how it ended says why. */
    read(job: Job, folder: string, printed: Outcome | undefined, ended: string): Outcome;
    isKept(outcome: Outcome): boolean;
    onOutcome(outcome: Outcome): void;
  },
): Promise<Outcome[]> {
  const waiting = [...jobs];
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const folder = join(pool.scratch, how.nameOf(job));
      mkdirSync(folder, { recursive: true });
      const { printed, ended } = await runWorker({ ...job, folder }, pool);
      const line = printed.trim().split('\n').at(-1) ?? '';
      const outcome = how.read(job, folder, line.startsWith('{') ? JSON.parse(line) : undefined, ended);
      if (!how.isKept(outcome)) rmSync(folder, { recursive: true, force: true });
      outcomes.push(outcome);
      how.onOutcome(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(pool.atOnce, jobs.length) }, work));
  return outcomes;
}

async function runWorker(job: unknown, { isolation, limitMs }: Pool): Promise<{ printed: string; ended: string }> {
  const [command, ...args] = [...isolation.prefix, process.execPath, ...NODE_FLAGS, WORKER];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: limitMs, killSignal: 'SIGKILL' });
  workers.add(child);
  let printed = '';
  let stderrTail = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-3000);
  });
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(job));
  const how = await new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(signal ?? `code ${code}`));
  });
  workers.delete(child);
  return { printed, ended: `the worker ended with ${how}\n${stderrTail}` };
}
