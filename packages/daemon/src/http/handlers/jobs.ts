import type { AgentPlan, Job } from '@agent-mux/api/schemas';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import type { Actor } from '../../service.ts';
import { randomLetters } from '../../sessions/ids.ts';
import { planAgentVerification, verifyAgent } from '../../verifier/verify-agent.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';
import { withKnownAgent } from './agents.ts';
import { dropJobs, type JobFacts, readJobs, type StoredJob, saveJob } from './job-records.ts';

type Operations =
  | 'planAgentChange'
  | 'installAgent'
  | 'updateAgent'
  | 'verifyAgent'
  | 'listJobs'
  | 'getJob'
  | 'cancelJob';
type Action = Job['action'];

interface JobParts extends Pick<ApiParts, 'client' | 'clock' | 'log' | 'store' | 'policy'> {
  audit: Audit;
}

const MAX_LINES = 2000;
const MAX_CHARS = 2000;
const PAST_TENSE: Readonly<Record<Action, string>> = { install: 'installed', update: 'updated', verify: 'verified' };

interface RunningJob extends StoredJob {
  stop: AbortController;
}

/**
 * Installs, updates and verifies agents, one job per agent at a time. Jobs end with the daemon; their results are
 * stored.
 */
export function jobHandlers({ client, clock, log, store, policy, audit }: JobParts): Pick<Handlers, Operations> {
  let loaded: Promise<Map<string, RunningJob>> | undefined;
  /** Jobs by id, oldest first. */
  const jobs = (): Promise<Map<string, RunningJob>> => {
    loaded ??= readJobs(store).then(
      (stored) => new Map(stored.map((each) => [each.job.id, { ...each, stop: new AbortController() }])),
    );
    loaded.catch(() => {
      loaded = undefined;
    });
    return loaded;
  };
  const save = (entry: RunningJob) =>
    saveJob(store, entry, clock()).catch((error: unknown) => log(`job ${entry.job.id} could not be saved`, error));

  const start = (action: Action, agent: string, shown: readonly string[], actor: Actor): Promise<Job> =>
    withKnownAgent(async () => {
      const all = await jobs();
      const plan = await createPlan(agent, action);
      if (JSON.stringify(plan.commands) !== JSON.stringify(shown))
        throw new DaemonError('PLAN_CHANGED', `the plan to ${action} ${agent} has changed since it was shown`, {
          hint: 'nothing was run; review the new plan',
        });
      const running = [...all.values()].find(({ job }) => job.agent === agent && job.state === 'running');
      if (running)
        throw new DaemonError('JOB_RUNNING', `${agent} is already being ${PAST_TENSE[running.job.action]}`, {
          hint: `see GET /api/v1/jobs/${running.job.id} for its progress`,
        });
      const entry: RunningJob = {
        job: {
          ...{ id: `j${randomLetters(11)}`, agent, action, commands: plan.commands, by: actor, state: 'running' },
          ...{ startedAt: clock(), endedAt: null, message: null, hint: null, version: plan.version },
          ...{ caseCount: plan.cases.length, results: [] },
        },
        lines: [],
        lastLine: 0,
        stop: new AbortController(),
      };
      all.set(entry.job.id, entry);
      await save(entry);
      await dropJobs(store, all);
      await audit(actor, `agent.${action}`, { agent, commands: plan.commands, job: entry.job.id });
      void run(entry).catch((error: unknown) => log(`could not record the end of job ${entry.job.id}`, error));
      return show(entry, 0);
    });

  async function run(entry: RunningJob): Promise<void> {
    const { agent, action, id, by } = entry.job;
    try {
      const outcome = action === 'verify' ? await verify(entry) : await change(entry, action);
      entry.job = { ...entry.job, ...outcome, endedAt: clock() };
    } catch (error) {
      const message = entry.stop.signal.aborted ? 'the job was cancelled' : messageOf(error);
      entry.job = { ...entry.job, state: 'failed', message, endedAt: clock() };
    }
    await save(entry);
    await audit(by, `agent.${action}-ended`, { agent, job: id, state: entry.job.state, message: entry.job.message });
  }

  async function change(entry: RunningJob, action: 'install' | 'update'): Promise<Partial<JobFacts>> {
    const watch = { signal: entry.stop.signal, onProgress: (line: string) => addLine(entry, line) };
    const { agent } = entry.job;
    const outcome = await (action === 'install' ? client.install(agent, watch) : client.update(agent, watch));
    const { ok, message = null, hint = null, installedVersion = null } = outcome;
    return { state: ok ? 'completed' : 'failed', message, hint, version: installedVersion };
  }

  async function verify(entry: RunningJob): Promise<Partial<JobFacts>> {
    await verifyAgent(entry.job.agent, {
      env: policy.env,
      signal: entry.stop.signal,
      onResult(result) {
        entry.job = { ...entry.job, results: [...entry.job.results, result] };
        void save(entry);
      },
    });
    const { results, caseCount } = entry.job;
    const passed = results.filter(({ status }) => status === 'passed').length;
    const isVerified = passed > 0 && results.every(({ status }) => status !== 'failed');
    return {
      state: isVerified ? 'completed' : 'failed',
      message: `${passed} of ${caseCount} cases passed`,
      hint: isVerified ? null : 'see the folders named in the failed cases',
    };
  }

  const createPlan = async (agent: string, action: Action): Promise<AgentPlan & { version: string | null }> => {
    if (action !== 'verify') return { ...(await planChange(client, agent, action)), version: null };
    client.adapters.get(agent);
    const { cases, version } = await planAgentVerification(agent, { env: policy.env });
    if (cases.length === 0)
      throw new DaemonError('NOT_OFFERED', `no verification cases exist for ${agent}`, {
        hint: 'run "amux agents" to see which agents are verified',
      });
    return {
      agent,
      action,
      version,
      method: 'scripted model',
      commands: [`amux verify ${agent}`],
      cases: [...cases],
    };
  };

  const find = async (id: string): Promise<RunningJob> => {
    const entry = (await jobs()).get(id);
    if (entry) return entry;
    throw new DaemonError('NOT_FOUND', `job "${id}" not found`, { hint: 'only the newest jobs are stored' });
  };

  return {
    planAgentChange: ({ params, query }) =>
      withKnownAgent(async () => {
        const { version: _, ...plan } = await createPlan(params.agent, query.action);
        return plan;
      }),
    installAgent: ({ params, body, actor }) => start('install', params.agent, body.commands, actor),
    updateAgent: ({ params, body, actor }) => start('update', params.agent, body.commands, actor),
    verifyAgent: ({ params, body, actor }) => start('verify', params.agent, body.commands, actor),
    listJobs: async () => ({
      jobs: [...(await jobs()).values()].reverse().map((entry) => show(entry, entry.lastLine)),
    }),
    getJob: async ({ params, query }) => show(await find(params.id), query.after),
    async cancelJob({ params, actor }) {
      const entry = await find(params.id);
      if (entry.job.state === 'running') {
        entry.stop.abort();
        await audit(actor, 'agent.cancel', { agent: entry.job.agent, job: entry.job.id });
      }
      return show(entry, entry.lastLine);
    },
  };
}

async function planChange(client: ApiParts['client'], agent: string, action: 'install' | 'update'): Promise<AgentPlan> {
  const { method, commands, notes } = await client.planInstall(agent, { action });
  const lines = commands.map(({ line }) => line);
  return { agent, action, method, commands: lines, cases: [], ...(notes === undefined ? {} : { notes }) };
}

function addLine(entry: RunningJob, line: string): void {
  entry.lastLine += 1;
  entry.lines.push(line.slice(0, MAX_CHARS));
  if (entry.lines.length > MAX_LINES) entry.lines.shift();
}

function show({ job, lines, lastLine }: RunningJob, after: number): Job {
  return { ...job, lines: lines.slice(Math.max(0, lines.length - Math.max(0, lastLine - after))), lastLine };
}
