import type { AgentPlan, Job } from '@agent-mux/api/schemas';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import { planAgentProof, proveAgent } from '../../prover/prove-agent.ts';
import type { Who } from '../../service.ts';
import { randomLetters } from '../../sessions/ids.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';
import { named } from './agents.ts';
import { dropJobs, type JobFacts, type KeptJob, keepJob, readJobs } from './job-records.ts';

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

const MOST_LINES = 2000;
const MOST_CHARS = 2000;
const IN_WORDS: Readonly<Record<Action, string>> = { install: 'installed', update: 'updated', verify: 'verified' };

interface Held extends KeptJob {
  stop: AbortController;
}

/** Agents are installed, updated and verified, one job for each agent at a time. They end with the daemon; what came of them is kept. */
export function jobHandlers({ client, clock, log, store, policy, audit }: JobParts): Pick<Handlers, Operations> {
  let loaded: Promise<Map<string, Held>> | undefined;
  /** By their ids, the oldest first. */
  const jobs = (): Promise<Map<string, Held>> => {
    loaded ??= readJobs(store).then(
      (kept) => new Map(kept.map((each) => [each.job.id, { ...each, stop: new AbortController() }])),
    );
    loaded.catch(() => {
      loaded = undefined;
    });
    return loaded;
  };
  const keep = (held: Held) =>
    keepJob(store, held, clock()).catch((error: unknown) => log(`job ${held.job.id} could not be kept`, error));

  const begin = (action: Action, agent: string, shown: readonly string[], who: Who): Promise<Job> =>
    named(async () => {
      const all = await jobs();
      const plan = await makePlan(agent, action);
      if (JSON.stringify(plan.commands) !== JSON.stringify(shown))
        throw new DaemonError('PLAN_CHANGED', `what would ${action} ${agent} is not what was shown`, {
          hint: 'nothing was run; look at the plan again',
        });
      const running = [...all.values()].find(({ job }) => job.agent === agent && job.state === 'running');
      if (running)
        throw new DaemonError('JOB_RUNNING', `${agent} is being ${IN_WORDS[running.job.action]} already`, {
          hint: `GET /api/v1/jobs/${running.job.id} tells how it goes`,
        });
      const held: Held = {
        job: {
          ...{ id: `j${randomLetters(11)}`, agent, action, commands: plan.commands, by: who, state: 'running' },
          ...{ startedAt: clock(), endedAt: null, message: null, remedy: null, version: plan.version },
          ...{ cases: plan.cases.length, proofs: [] },
        },
        lines: [],
        last: 0,
        stop: new AbortController(),
      };
      all.set(held.job.id, held);
      await keep(held);
      await dropJobs(store, all);
      await audit(who, `agent.${action}`, { agent, commands: plan.commands, job: held.job.id });
      void carryOut(held).catch((error: unknown) => log(`the end of job ${held.job.id} could not be noted`, error));
      return show(held, 0);
    });

  async function carryOut(held: Held): Promise<void> {
    const { agent, action, id, by } = held.job;
    try {
      const outcome = action === 'verify' ? await verify(held) : await change(held, action);
      held.job = { ...held.job, ...outcome, endedAt: clock() };
    } catch (error) {
      const message = held.stop.signal.aborted ? 'it was cancelled' : messageOf(error);
      held.job = { ...held.job, state: 'failed', message, endedAt: clock() };
    }
    await keep(held);
    await audit(by, `agent.${action}-ended`, { agent, job: id, state: held.job.state, message: held.job.message });
  }

  async function change(held: Held, action: 'install' | 'update'): Promise<Partial<JobFacts>> {
    const watch = { signal: held.stop.signal, onProgress: (line: string) => addLine(held, line) };
    const { agent } = held.job;
    const outcome = await (action === 'install' ? client.install(agent, watch) : client.update(agent, watch));
    const { ok, message = null, remedy = null, installedVersion = null } = outcome;
    return { state: ok ? 'done' : 'failed', message, remedy, version: installedVersion };
  }

  async function verify(held: Held): Promise<Partial<JobFacts>> {
    await proveAgent(held.job.agent, {
      env: policy.env,
      signal: held.stop.signal,
      onProof(proof) {
        held.job = { ...held.job, proofs: [...held.job.proofs, proof] };
        void keep(held);
      },
    });
    const { proofs, cases } = held.job;
    const passed = proofs.filter(({ status }) => status === 'passed').length;
    const isProven = passed > 0 && proofs.every(({ status }) => status !== 'failed');
    return {
      state: isProven ? 'done' : 'failed',
      message: `${passed} of ${cases} hold`,
      remedy: isProven ? null : 'what failed is told with its folder, which is kept',
    };
  }

  const makePlan = async (agent: string, action: Action): Promise<AgentPlan & { version: string | null }> => {
    if (action !== 'verify') return { ...(await planChange(client, agent, action)), version: null };
    client.adapters.get(agent);
    const { cases, version } = await planAgentProof(agent, { env: policy.env });
    if (cases.length === 0)
      throw new DaemonError('NOT_OFFERED', `there are no proof cases for ${agent}`, {
        hint: 'the page of agents says which are proven, and which are made from documents alone',
      });
    return {
      agent,
      action,
      version,
      method: 'a scripted model',
      commands: [`amux verify ${agent}`],
      cases: [...cases],
    };
  };

  const find = async (id: string): Promise<Held> => {
    const held = (await jobs()).get(id);
    if (held) return held;
    throw new DaemonError('NOT_FOUND', `there is no job "${id}"`, { hint: 'only the newest jobs are kept' });
  };

  return {
    planAgentChange: ({ params, query }) =>
      named(async () => {
        const { version: _, ...plan } = await makePlan(params.agent, query.action);
        return plan;
      }),
    installAgent: ({ params, body, who }) => begin('install', params.agent, body.commands, who),
    updateAgent: ({ params, body, who }) => begin('update', params.agent, body.commands, who),
    verifyAgent: ({ params, body, who }) => begin('verify', params.agent, body.commands, who),
    listJobs: async () => ({ jobs: [...(await jobs()).values()].reverse().map((held) => show(held, held.last)) }),
    getJob: async ({ params, query }) => show(await find(params.id), query.after),
    async cancelJob({ params, who }) {
      const held = await find(params.id);
      if (held.job.state === 'running') {
        held.stop.abort();
        await audit(who, 'agent.cancel', { agent: held.job.agent, job: held.job.id });
      }
      return show(held, held.last);
    },
  };
}

async function planChange(client: ApiParts['client'], agent: string, action: 'install' | 'update'): Promise<AgentPlan> {
  const { method, commands, notes } = await client.planInstall(agent, { action });
  const lines = commands.map(({ line }) => line);
  return { agent, action, method, commands: lines, cases: [], ...(notes === undefined ? {} : { notes }) };
}

function addLine(held: Held, line: string): void {
  held.last += 1;
  held.lines.push(line.slice(0, MOST_CHARS));
  if (held.lines.length > MOST_LINES) held.lines.shift();
}

function show({ job, lines, last }: Held, after: number): Job {
  return { ...job, lines: lines.slice(Math.max(0, lines.length - Math.max(0, last - after))), last };
}
