import { z } from 'zod';
import type { Route } from '../route.ts';
import { IdSchema } from '../schemas/common.ts';
import {
  NewRuleSchema,
  PolicyQuerySchema,
  PolicySchema,
  RuleNameSchema,
  RuleWrittenSchema,
  TrialSchema,
  VerdictSchema,
} from '../schemas/policy.ts';
import { json, none } from './replies.ts';

/** What decides before a person is asked. */
export const POLICY_ROUTES = {
  getPolicy: {
    method: 'get',
    path: '/api/v1/policy',
    summary: 'The rules, where they stand, what is wrong with them, and what was remembered',
    tag: 'policy',
    query: PolicyQuerySchema,
    reply: json(PolicySchema, 'All of it.'),
  },
  testPolicy: {
    method: 'post',
    path: '/api/v1/policy/test',
    summary: 'What would happen with a request, and by which rule',
    tag: 'policy',
    body: TrialSchema,
    reply: json(VerdictSchema, 'Nothing was done.'),
  },
  addRule: {
    method: 'post',
    path: '/api/v1/policy/rules',
    summary:
      "Writes a rule into the user's configuration file: what allows behind the others, anything else before them",
    tag: 'policy',
    body: NewRuleSchema,
    reply: json(RuleWrittenSchema, 'It counts from now on.', 201),
  },
  removeRule: {
    method: 'delete',
    path: '/api/v1/policy/rules/{name}',
    summary: "Takes a rule out of the user's configuration file",
    tag: 'policy',
    params: z.object({ name: RuleNameSchema }),
    reply: none(204, 'It is gone.'),
  },
  forgetRemembered: {
    method: 'delete',
    path: '/api/v1/policy/remembered/{id}',
    summary: 'Takes back an answer that was remembered',
    tag: 'policy',
    params: z.object({ id: IdSchema }),
    reply: none(204, 'It is forgotten.'),
  },
} satisfies Record<string, Route>;
