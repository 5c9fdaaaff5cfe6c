import { z } from 'zod';
import type { Route } from '../route.ts';
import {
  AgentDetailSchema,
  AgentLoginSchema,
  AgentNameSchema,
  AgentSchema,
  ModelListSchema,
} from '../schemas/agent.ts';
import { FlagSchema, IdSchema } from '../schemas/common.ts';
import { DaemonSettingsSchema, SettingsPatchSchema } from '../schemas/settings.ts';
import {
  AuditEntrySchema,
  AuditQuerySchema,
  BrowserSchema,
  HealthSchema,
  LoginLinkSchema,
  ReadySchema,
  UsageQuerySchema,
  UsageRowSchema,
} from '../schemas/system.ts';
import { bytes, json, noFields, none } from './replies.ts';

const agentParams = z.object({ agent: AgentNameSchema });

/** The daemon itself, the agents of this machine, what was used, and who may come in. */
export const DAEMON_ROUTES = {
  getHealth: {
    method: 'get',
    path: '/api/v1/health',
    summary: 'Whether the daemon lives',
    tag: 'daemon',
    open: true,
    reply: json(HealthSchema, 'It does.'),
  },
  getReady: {
    method: 'get',
    path: '/api/v1/ready',
    summary: 'Whether the store is open and all keepers were found again (503 until then)',
    tag: 'daemon',
    open: true,
    reply: json(ReadySchema, 'It is ready.'),
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    summary: 'Metrics, in the text form of Prometheus',
    tag: 'daemon',
    reply: bytes('text/plain', 'The metrics.'),
  },
  getOpenApi: {
    method: 'get',
    path: '/api/v1/openapi.json',
    summary: 'This document',
    tag: 'daemon',
    open: true,
    reply: json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1.'),
  },
  shutDown: {
    method: 'post',
    path: '/api/v1/shutdown',
    summary: 'Ends the daemon; sessions go on',
    tag: 'daemon',
    body: noFields,
    bodyOptional: true,
    reply: json(z.object({ stopping: z.literal(true) }), 'It will end.', 202),
  },

  getSettings: {
    method: 'get',
    path: '/api/v1/settings',
    summary: 'How the whole daemon is set up',
    tag: 'daemon',
    reply: json(DaemonSettingsSchema, 'As it counts now.'),
  },
  changeSettings: {
    method: 'patch',
    path: '/api/v1/settings',
    summary: 'Sets the daemon up otherwise: in the configuration file, and at once',
    tag: 'daemon',
    body: SettingsPatchSchema,
    reply: json(DaemonSettingsSchema, 'As it counts from now on.'),
  },

  listAgents: {
    method: 'get',
    path: '/api/v1/agents',
    summary: 'All agents, and which are installed',
    tag: 'agents',
    reply: json(z.object({ agents: z.array(AgentSchema) }), 'The agents.'),
  },
  getAgent: {
    method: 'get',
    path: '/api/v1/agents/{agent}',
    summary: 'An agent with what it can do in each mode',
    tag: 'agents',
    params: agentParams,
    reply: json(AgentDetailSchema, 'The agent.'),
  },
  listModels: {
    method: 'get',
    path: '/api/v1/agents/{agent}/models',
    summary: 'The models that an agent offers',
    tag: 'agents',
    params: agentParams,
    query: z.strictObject({ refresh: FlagSchema.optional().describe('Ask the agent again.') }),
    reply: json(ModelListSchema, 'The models.'),
  },
  getLogin: {
    method: 'get',
    path: '/api/v1/agents/{agent}/login',
    summary: 'Who is logged in to an agent, and how to log in',
    tag: 'agents',
    params: agentParams,
    reply: json(AgentLoginSchema, 'The login.'),
  },

  readUsage: {
    method: 'get',
    path: '/api/v1/usage',
    summary: 'Tokens and money',
    tag: 'usage',
    query: UsageQuerySchema,
    reply: json(z.object({ rows: z.array(UsageRowSchema) }), 'The sums.'),
  },
  readAudit: {
    method: 'get',
    path: '/api/v1/audit',
    summary: 'Who did and decided what',
    tag: 'usage',
    query: AuditQuerySchema,
    reply: json(z.object({ entries: z.array(AuditEntrySchema) }), 'The entries.'),
  },

  createLoginLink: {
    method: 'post',
    path: '/api/v1/login-links',
    summary: 'A link that signs a browser in, once',
    tag: 'browsers',
    body: z.strictObject({
      page: z
        .boolean()
        .default(false)
        .describe(
          'Also write a page that leads there, readable for its owner alone, for a program that opens browsers.',
        ),
    }),
    bodyOptional: true,
    reply: json(LoginLinkSchema, 'The link.', 201),
  },
  signInBrowser: {
    method: 'post',
    path: '/api/v1/browsers',
    summary: 'Signs a browser in with the code of such a link and a key that the browser keeps',
    tag: 'browsers',
    open: true,
    body: z.strictObject({
      code: z.string().min(1).max(200),
      publicKey: z
        .string()
        .regex(/^[\w-]{87}$/, 'must be the 65 bytes of a P-256 point in base64url')
        .describe('The raw public key. Requests of the browser show `ID.SIGNATURE` in place of the token.'),
    }),
    reply: json(z.object({ id: IdSchema }), 'Signed in.', 201),
  },
  listBrowsers: {
    method: 'get',
    path: '/api/v1/browsers',
    summary: 'The browsers that are signed in',
    tag: 'browsers',
    reply: json(z.object({ browsers: z.array(BrowserSchema) }), 'The browsers.'),
  },
  removeBrowser: {
    method: 'delete',
    path: '/api/v1/browsers/{id}',
    summary: 'Signs a browser out, its open streams too',
    tag: 'browsers',
    params: z.object({ id: IdSchema }),
    reply: none(204, 'It is signed out.'),
  },
} satisfies Record<string, Route>;
