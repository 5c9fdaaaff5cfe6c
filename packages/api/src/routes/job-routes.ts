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

const started = json(JobSchema, 'Started.', 201);

/** Install, update and verify jobs. The plan is shown first; a job runs exactly that plan. */
export const JOB_ROUTES = {
  planAgentChange: {
    method: 'get',
    path: '/api/v1/agents/{agent}/plan',
    summary: 'Get the exact commands that would install or update an agent, or the cases that would verify it',
    tag: 'agents',
    params: JobAgentParams,
    query: AgentPlanQuerySchema,
    reply: json(AgentPlanSchema, 'The plan; nothing was run.'),
  },
  installAgent: {
    method: 'post',
    path: '/api/v1/agents/{agent}/install',
    summary: 'Install an agent with the commands of its plan',
    tag: 'agents',
    params: JobAgentParams,
    body: NewJobSchema,
    reply: started,
  },
  updateAgent: {
    method: 'post',
    path: '/api/v1/agents/{agent}/update',
    summary: 'Update an agent with the commands of its plan',
    tag: 'agents',
    params: JobAgentParams,
    body: NewJobSchema,
    reply: started,
  },
  verifyAgent: {
    method: 'post',
    path: '/api/v1/agents/{agent}/verify',
    summary:
      'Run the verification cases against the installed agent: a scripted model on loopback, a temporary home, no account',
    tag: 'agents',
    params: JobAgentParams,
    body: NewJobSchema,
    reply: started,
  },
  listJobs: {
    method: 'get',
    path: '/api/v1/jobs',
    summary: 'List running and finished jobs, without their output lines',
    tag: 'agents',
    reply: json(z.object({ jobs: z.array(JobSchema) }), 'Newest first.'),
  },
  getJob: {
    method: 'get',
    path: '/api/v1/jobs/{id}',
    summary: 'Get a job with the output lines since a given one',
    tag: 'agents',
    params: JobParams,
    query: JobQuerySchema,
    reply: json(JobSchema, 'The job.'),
  },
  cancelJob: {
    method: 'post',
    path: '/api/v1/jobs/{id}/cancel',
    summary: 'Stop a job and its process tree',
    tag: 'agents',
    params: JobParams,
    body: noFields,
    bodyOptional: true,
    reply: json(JobSchema, 'The job.'),
  },
} satisfies Record<string, Route>;
