import { type Job, JobSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';
import type { Store } from '../../store/store.ts';

const KIND = 'job';
/** Maximum number of stored jobs. The oldest are deleted first. */
const MAX_JOBS = 50;
/** Number of stored output lines. While a job runs, more are available. */
const STORED_LINES = 200;

export type JobFacts = Omit<Job, 'lines' | 'lastLine'>;

export interface StoredJob {
  job: JobFacts;
  lines: string[];
  /** The number of the last line. */
  lastLine: number;
}

const Record = z.object({
  job: JobSchema.omit({ lines: true, lastLine: true }),
  lines: z.array(z.string()),
  lastLine: z.int(),
});

/** Jobs of earlier daemons, oldest first. Jobs that were running are marked as interrupted. */
export async function readJobs(store: Store): Promise<StoredJob[]> {
  const records = await store.listRecords(KIND);
  const stored = records.flatMap(({ value, updatedAt }): StoredJob[] => {
    const { data } = Record.safeParse(value);
    return data ? [data.job.state === 'running' ? { ...data, job: markInterrupted(data.job, updatedAt) } : data] : [];
  });
  return stored.sort((a, b) => a.job.startedAt - b.job.startedAt);
}

function markInterrupted(job: JobFacts, endedAt: number): JobFacts {
  return {
    ...job,
    state: 'interrupted',
    endedAt,
    message: 'the daemon stopped before the job ended',
    hint: job.action === 'verify' ? 'verify again' : 'check the installed version, or run it again',
  };
}

export async function saveJob(store: Store, { job, lines, lastLine }: StoredJob, now: number): Promise<void> {
  await store.putRecord(KIND, job.id, { job, lines: lines.slice(-STORED_LINES), lastLine }, now);
}

/** Deletes the oldest finished jobs above the limit. The last verification of each agent always stays. */
export async function dropJobs(store: Store, jobs: Map<string, StoredJob>): Promise<void> {
  const all = [...jobs.values()].map(({ job }) => job);
  const verified = new Set(
    Object.values(Object.fromEntries(all.filter(isVerification).map(({ agent, id }) => [agent, id]))),
  );
  const idle = all.filter(({ id, state }) => state !== 'running' && !verified.has(id));
  for (const { id } of idle.slice(0, Math.max(0, all.length - MAX_JOBS))) {
    jobs.delete(id);
    await store.deleteRecord(KIND, id);
  }
}

function isVerification({ action, results }: JobFacts): boolean {
  return action === 'verify' && results.length > 0;
}
