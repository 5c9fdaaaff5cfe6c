import { z } from 'zod';
import type { Route } from '../route.ts';
import { IdSchema } from '../schemas/common.ts';
import {
  NewRuleSchema,
  PolicyQuerySchema,
  PolicySchema,
  PolicyTestSchema,
  RuleNameSchema,
  RuleWrittenSchema,
  VerdictSchema,
} from '../schemas/policy.ts';
import { json, none } from './replies.ts';

/** Rules and remembered answers. */
export const POLICY_ROUTES = {
  getPolicy: {
    method: 'get',
    path: '/api/v1/policy',
    summary: 'Get rules with their source, issues and remembered answers',
    tag: 'policy',
    query: PolicyQuerySchema,
    reply: json(PolicySchema, 'The policy.'),
  },
  testPolicy: {
    method: 'post',
    path: '/api/v1/policy/test',
    summary: 'Evaluate a request against the rules',
    tag: 'policy',
    body: PolicyTestSchema,
    reply: json(VerdictSchema, 'The decision; nothing was changed.'),
  },
  addRule: {
    method: 'post',
    path: '/api/v1/policy/rules',
    summary: "Add a rule to the user's configuration file: allow rules at the end, others at the start",
    tag: 'policy',
    body: NewRuleSchema,
    reply: json(RuleWrittenSchema, 'The rule, effective at once.', 201),
  },
  removeRule: {
    method: 'delete',
    path: '/api/v1/policy/rules/{name}',
    summary: "Remove a rule from the user's configuration file",
    tag: 'policy',
    params: z.object({ name: RuleNameSchema }),
    reply: none(204, 'Removed.'),
  },
  forgetRemembered: {
    method: 'delete',
    path: '/api/v1/policy/remembered/{id}',
    summary: 'Forget a remembered answer',
    tag: 'policy',
    params: z.object({ id: IdSchema }),
    reply: none(204, 'Forgotten.'),
  },
} satisfies Record<string, Route>;
