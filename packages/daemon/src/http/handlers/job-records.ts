import { type Job, JobSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';
import type { Store } from '../../store/store.ts';

const KIND = 'job';
/** More than these are forgotten, the oldest first. */
const MOST_JOBS = 50;
/** Of what was printed; all of it is there while the job runs. */
const KEPT_LINES = 200;

export type JobFacts = Omit<Job, 'lines' | 'last'>;

export interface KeptJob {
  job: JobFacts;
  lines: string[];
  /** The number of the last line. */
  last: number;
}

const Record = z.object({
  job: JobSchema.omit({ lines: true, last: true }),
  lines: z.array(z.string()),
  last: z.int(),
});

/** What a daemon before has left, the oldest first. What ran then runs no more. */
export async function readJobs(store: Store): Promise<KeptJob[]> {
  const records = await store.listRecords(KIND);
  const kept = records.flatMap(({ value, updatedAt }): KeptJob[] => {
    const { data } = Record.safeParse(value);
    return data ? [data.job.state === 'running' ? { ...data, job: lose(data.job, updatedAt) } : data] : [];
  });
  return kept.sort((a, b) => a.job.startedAt - b.job.startedAt);
}

function lose(job: JobFacts, endedAt: number): JobFacts {
  return {
    ...job,
    state: 'lost',
    endedAt,
    message: 'the daemon ended before it did',
    remedy:
      job.action === 'verify'
        ? 'verify it again'
        : 'what it had done by then stays: look at the version, or do it again',
  };
}

export async function keepJob(store: Store, { job, lines, last }: KeptJob, now: number): Promise<void> {
  await store.putRecord(KIND, job.id, { job, lines: lines.slice(-KEPT_LINES), last }, now);
}

/** Those that are over and beyond the number, the oldest first; what an agent was verified with last always stays. */
export async function dropJobs(store: Store, jobs: Map<string, KeptJob>): Promise<void> {
  const all = [...jobs.values()].map(({ job }) => job);
  const verified = new Set(Object.values(Object.fromEntries(all.filter(isProof).map(({ agent, id }) => [agent, id]))));
  const idle = all.filter(({ id, state }) => state !== 'running' && !verified.has(id));
  for (const { id } of idle.slice(0, Math.max(0, all.length - MOST_JOBS))) {
    jobs.delete(id);
    await store.deleteRecord(KIND, id);
  }
}

function isProof({ action, proofs }: JobFacts): boolean {
  return action === 'verify' && proofs.length > 0;
}
