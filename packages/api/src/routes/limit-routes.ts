import { z } from 'zod';
import type { Route } from '../route.ts';
import { SessionIdParams } from '../schemas/history.ts';
import { AccountQuotaSchema, BudgetStatusSchema, ContinuationRulesSchema, QuotaListSchema } from '../schemas/limit.ts';
import { SessionSchema } from '../schemas/session.ts';
import { json, noFields } from './replies.ts';

const session = json(SessionSchema, 'The session.');

export const LimitOverviewSchema = z.object({
  sessions: z.array(SessionSchema).describe('Those that a limit has stopped, and those whose messages wait for one.'),
  accounts: z.array(AccountQuotaSchema).describe('Those that nothing is sent to at the moment.'),
  budgets: z.array(BudgetStatusSchema),
  rules: ContinuationRulesSchema,
});

/** Limits of agents, budgets of people, and who goes on when. */
export const LIMIT_ROUTES = {
  getLimits: {
    method: 'get',
    path: '/api/v1/limits',
    summary: 'Who waits for a limit and until when, and what is left of budgets',
    tag: 'limits',
    reply: json(LimitOverviewSchema, 'All of it.'),
  },
  getQuota: {
    method: 'get',
    path: '/api/v1/quota',
    summary: 'What is known of the limits of each agent and login',
    tag: 'limits',
    reply: json(QuotaListSchema, 'The accounts.'),
  },
  cancelLimit: {
    method: 'post',
    path: '/api/v1/sessions/{id}/limit/cancel',
    summary: 'The session does not go on by itself after this limit',
    tag: 'limits',
    params: SessionIdParams,
    body: noFields,
    bodyOptional: true,
    reply: session,
  },
  continueLimit: {
    method: 'post',
    path: '/api/v1/sessions/{id}/limit/continue',
    summary: 'Goes on now, whatever is known of the limit',
    tag: 'limits',
    params: SessionIdParams,
    body: noFields,
    bodyOptional: true,
    reply: session,
  },
} satisfies Record<string, Route>;
