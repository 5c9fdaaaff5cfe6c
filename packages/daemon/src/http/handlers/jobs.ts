import type { AgentPlan, Job } from '@agent-mux/api/schemas';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import type { Who } from '../../service.ts';
import { randomLetters } from '../../sessions/ids.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';
import { named } from './agents.ts';

type Operations = 'planAgentChange' | 'installAgent' | 'updateAgent' | 'listJobs' | 'getJob' | 'cancelJob';
type Action = Job['action'];

interface JobParts extends Pick<ApiParts, 'client' | 'clock' | 'log'> {
  audit: Audit;
}

/** More than these are forgotten, the oldest first. */
const MOST_JOBS = 50;
const MOST_LINES = 2000;
const MOST_CHARS = 2000;

interface Held {
  job: Omit<Job, 'lines' | 'last'>;
  lines: string[];
  last: number;
  stop: AbortController;
}

/** Agents are installed and updated, one job for each agent at a time. They end with the daemon. */
export function jobHandlers({ client, clock, log, audit }: JobParts): Pick<Handlers, Operations> {
  const jobs = new Map<string, Held>();

  const begin = (action: Action, agent: string, shown: readonly string[], who: Who): Promise<Job> =>
    named(async () => {
      const plan = await planOf(client, agent, action);
      if (JSON.stringify(plan.commands) !== JSON.stringify(shown))
        throw new DaemonError('PLAN_CHANGED', `what would ${action} ${agent} is not what was shown`, {
          hint: 'nothing was run; look at the plan again',
        });
      const running = [...jobs.values()].find(({ job }) => job.agent === agent && job.state === 'running');
      if (running)
        throw new DaemonError('JOB_RUNNING', `${agent} is being changed already`, {
          hint: `GET /api/v1/jobs/${running.job.id} tells how it goes`,
        });
      const held: Held = {
        job: {
          ...{ id: `j${randomLetters(11)}`, agent, action, commands: plan.commands, by: who, state: 'running' },
          ...{ startedAt: clock(), endedAt: null, message: null, remedy: null, version: null },
        },
        lines: [],
        last: 0,
        stop: new AbortController(),
      };
      jobs.set(held.job.id, held);
      for (const [id, { job }] of jobs) if (jobs.size > MOST_JOBS && job.state !== 'running') jobs.delete(id);
      await audit(who, `agent.${action}`, { agent, commands: plan.commands, job: held.job.id });
      void carryOut(held).catch((error: unknown) => log(`the end of job ${held.job.id} could not be noted`, error));
      return show(held, 0);
    });

  async function carryOut(held: Held): Promise<void> {
    const { agent, action, id, by } = held.job;
    const watch = { signal: held.stop.signal, onProgress: (line: string) => addLine(held, line) };
    try {
      const outcome = await (action === 'install' ? client.install(agent, watch) : client.update(agent, watch));
      const { ok, message = null, remedy = null, installedVersion = null } = outcome;
      const state = ok ? 'done' : 'failed';
      held.job = { ...held.job, state, message, remedy, version: installedVersion, endedAt: clock() };
    } catch (error) {
      const message = held.stop.signal.aborted ? 'it was cancelled' : messageOf(error);
      held.job = { ...held.job, state: 'failed', message, endedAt: clock() };
    }
    await audit(by, `agent.${action}-ended`, { agent, job: id, state: held.job.state, message: held.job.message });
  }

  const find = (id: string): Held => {
    const held = jobs.get(id);
    if (held) return held;
    throw new DaemonError('NOT_FOUND', `there is no job "${id}"`, { hint: 'jobs are kept while the daemon runs' });
  };

  return {
    planAgentChange: ({ params, query }) => named(() => planOf(client, params.agent, query.action)),
    installAgent: ({ params, body, who }) => begin('install', params.agent, body.commands, who),
    updateAgent: ({ params, body, who }) => begin('update', params.agent, body.commands, who),
    listJobs: async () => ({ jobs: [...jobs.values()].reverse().map((held) => show(held, held.last)) }),
    getJob: async ({ params, query }) => show(find(params.id), query.after),
    async cancelJob({ params, who }) {
      const held = find(params.id);
      if (held.job.state === 'running') {
        held.stop.abort();
        await audit(who, 'agent.cancel', { agent: held.job.agent, job: held.job.id });
      }
      return show(held, held.last);
    },
  };
}

async function planOf(client: ApiParts['client'], agent: string, action: Action): Promise<AgentPlan> {
  const { method, commands, notes } = await client.planInstall(agent, { action });
  const lines = commands.map(({ line }) => line);
  return { agent, action, method, commands: lines, ...(notes === undefined ? {} : { notes }) };
}

function addLine(held: Held, line: string): void {
  held.last += 1;
  held.lines.push(line.slice(0, MOST_CHARS));
  if (held.lines.length > MOST_LINES) held.lines.shift();
}

function show({ job, lines, last }: Held, after: number): Job {
  return { ...job, lines: lines.slice(Math.max(0, lines.length - Math.max(0, last - after))), last };
}
