import { z } from 'zod';
import type { Route } from '../route.ts';
import { SessionIdParams } from '../schemas/history.ts';
import { AccountQuotaSchema, BudgetStatusSchema, ContinuationRulesSchema, QuotaListSchema } from '../schemas/limit.ts';
import { SessionSchema } from '../schemas/session.ts';
import { json, noFields } from './replies.ts';

const session = json(SessionSchema, 'The session.');

export const LimitOverviewSchema = z.object({
  sessions: z.array(SessionSchema).describe('Sessions stopped by a limit, and those whose messages wait for one.'),
  accounts: z.array(AccountQuotaSchema).describe('Accounts that are currently paused.'),
  budgets: z.array(BudgetStatusSchema),
  rules: ContinuationRulesSchema,
});

/** Usage limits, budgets and continuation. */
export const LIMIT_ROUTES = {
  getLimits: {
    method: 'get',
    path: '/api/v1/limits',
    summary: 'List limited sessions, paused accounts and budgets',
    tag: 'limits',
    reply: json(LimitOverviewSchema, 'The overview.'),
  },
  getQuota: {
    method: 'get',
    path: '/api/v1/quota',
    summary: 'List known limits per agent and login',
    tag: 'limits',
    reply: json(QuotaListSchema, 'The accounts.'),
  },
  cancelContinuation: {
    method: 'post',
    path: '/api/v1/sessions/{id}/limit/cancel',
    summary: 'Cancel the scheduled continuation of a session',
    tag: 'limits',
    params: SessionIdParams,
    body: noFields,
    bodyOptional: true,
    reply: session,
  },
  continueSession: {
    method: 'post',
    path: '/api/v1/sessions/{id}/limit/continue',
    summary: 'Continue a limited session now, ignoring the limit',
    tag: 'limits',
    params: SessionIdParams,
    body: noFields,
    bodyOptional: true,
    reply: session,
  },
} satisfies Record<string, Route>;
