import { z } from 'zod';
import type { Route } from '../route.ts';
import {
  AgentPlanQuerySchema,
  AgentPlanSchema,
  JobAgentParams,
  JobParams,
  JobQuerySchema,
  JobSchema,
  NewJobSchema,
} from '../schemas/job.ts';
import { json, noFields } from './replies.ts';

const begun = json(JobSchema, 'It has begun.', 201);

/** Agents are installed, updated and verified: what would be run is shown first, and what is run is what was shown. */
export const JOB_ROUTES = {
  planAgentChange: {
    method: 'get',
    path: '/api/v1/agents/{agent}/plan',
    summary: 'The exact commands that would install or update an agent, or the cases that would verify it',
    tag: 'agents',
    params: JobAgentParams,
    query: AgentPlanQuerySchema,
    reply: json(AgentPlanSchema, 'Nothing was done.'),
  },
  installAgent: {
    method: 'post',
    path: '/api/v1/agents/{agent}/install',
    summary: 'Installs an agent by the commands of its plan',
    tag: 'agents',
    params: JobAgentParams,
    body: NewJobSchema,
    reply: begun,
  },
  updateAgent: {
    method: 'post',
    path: '/api/v1/agents/{agent}/update',
    summary: 'Updates an agent by the commands of its plan',
    tag: 'agents',
    params: JobAgentParams,
    body: NewJobSchema,
    reply: begun,
  },
  verifyAgent: {
    method: 'post',
    path: '/api/v1/agents/{agent}/verify',
    summary:
      'Drives the installed agent through its proof cases: a scripted model on loopback, a scratch home, no account',
    tag: 'agents',
    params: JobAgentParams,
    body: NewJobSchema,
    reply: begun,
  },
  listJobs: {
    method: 'get',
    path: '/api/v1/jobs',
    summary: 'Agents that are being installed, updated or verified, and those that were; without their lines',
    tag: 'agents',
    reply: json(z.object({ jobs: z.array(JobSchema) }), 'The newest first.'),
  },
  getJob: {
    method: 'get',
    path: '/api/v1/jobs/{id}',
    summary: 'How it goes, with what the installer has printed since',
    tag: 'agents',
    params: JobParams,
    query: JobQuerySchema,
    reply: json(JobSchema, 'The job.'),
  },
  cancelJob: {
    method: 'post',
    path: '/api/v1/jobs/{id}/cancel',
    summary: 'Ends it, with all that it has started',
    tag: 'agents',
    params: JobParams,
    body: noFields,
    bodyOptional: true,
    reply: json(JobSchema, 'The job.'),
  },
} satisfies Record<string, Route>;
