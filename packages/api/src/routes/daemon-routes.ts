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

/** The daemon, agents, usage, audit log and browser sign-in. */
export const DAEMON_ROUTES = {
  getHealth: {
    method: 'get',
    path: '/api/v1/health',
    summary: 'Check whether the daemon is alive',
    tag: 'daemon',
    open: true,
    reply: json(HealthSchema, 'Alive.'),
  },
  getReady: {
    method: 'get',
    path: '/api/v1/ready',
    summary: 'Check whether the store is open and all keepers are connected (503 until then)',
    tag: 'daemon',
    open: true,
    reply: json(ReadySchema, 'Ready.'),
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    summary: 'Get metrics in Prometheus text format',
    tag: 'daemon',
    reply: bytes('text/plain', 'The metrics.'),
  },
  getOpenApi: {
    method: 'get',
    path: '/api/v1/openapi.json',
    summary: 'Get this document',
    tag: 'daemon',
    open: true,
    reply: json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1.'),
  },
  shutdown: {
    method: 'post',
    path: '/api/v1/shutdown',
    summary: 'Stop the daemon; sessions keep running',
    tag: 'daemon',
    body: noFields,
    bodyOptional: true,
    reply: json(z.object({ stopping: z.literal(true) }), 'Stopping.', 202),
  },

  getSettings: {
    method: 'get',
    path: '/api/v1/settings',
    summary: 'Get the daemon settings',
    tag: 'daemon',
    reply: json(DaemonSettingsSchema, 'The effective settings.'),
  },
  updateSettings: {
    method: 'patch',
    path: '/api/v1/settings',
    summary: 'Update the settings in the configuration file; they take effect at once',
    tag: 'daemon',
    body: SettingsPatchSchema,
    reply: json(DaemonSettingsSchema, 'The new settings.'),
  },

  listAgents: {
    method: 'get',
    path: '/api/v1/agents',
    summary: 'List agents and whether they are installed',
    tag: 'agents',
    reply: json(z.object({ agents: z.array(AgentSchema) }), 'The agents.'),
  },
  getAgent: {
    method: 'get',
    path: '/api/v1/agents/{agent}',
    summary: 'Get an agent and its capabilities per mode',
    tag: 'agents',
    params: agentParams,
    reply: json(AgentDetailSchema, 'The agent.'),
  },
  listModels: {
    method: 'get',
    path: '/api/v1/agents/{agent}/models',
    summary: 'List the models of an agent',
    tag: 'agents',
    params: agentParams,
    query: z.strictObject({ refresh: FlagSchema.optional().describe('Query the agent again.') }),
    reply: json(ModelListSchema, 'The models.'),
  },
  getLogin: {
    method: 'get',
    path: '/api/v1/agents/{agent}/login',
    summary: 'Get the login status of an agent and how to log in',
    tag: 'agents',
    params: agentParams,
    reply: json(AgentLoginSchema, 'The login status.'),
  },

  getUsage: {
    method: 'get',
    path: '/api/v1/usage',
    summary: 'Get token usage and cost',
    tag: 'usage',
    query: UsageQuerySchema,
    reply: json(z.object({ rows: z.array(UsageRowSchema) }), 'The totals.'),
  },
  listAudit: {
    method: 'get',
    path: '/api/v1/audit',
    summary: 'List audit log entries',
    tag: 'usage',
    query: AuditQuerySchema,
    reply: json(z.object({ entries: z.array(AuditEntrySchema) }), 'The entries.'),
  },

  createLoginLink: {
    method: 'post',
    path: '/api/v1/login-links',
    summary: 'Create a one-time login link for a browser',
    tag: 'browsers',
    body: z.strictObject({
      page: z
        .boolean()
        .default(false)
        .describe('Also write a page with the link, readable by its owner only, for a program that opens browsers.'),
    }),
    bodyOptional: true,
    reply: json(LoginLinkSchema, 'The link.', 201),
  },
  signInBrowser: {
    method: 'post',
    path: '/api/v1/browsers',
    summary: 'Sign a browser in with the code of a login link and its public key',
    tag: 'browsers',
    open: true,
    body: z.strictObject({
      code: z.string().min(1).max(200),
      publicKey: z
        .string()
        .regex(/^[\w-]{87}$/, 'must be the 65 bytes of a P-256 point in base64url')
        .describe('Raw public key. The browser then sends `ID.SIGNATURE` instead of the token.'),
    }),
    reply: json(z.object({ id: IdSchema }), 'Signed in.', 201),
  },
  listBrowsers: {
    method: 'get',
    path: '/api/v1/browsers',
    summary: 'List signed-in browsers',
    tag: 'browsers',
    reply: json(z.object({ browsers: z.array(BrowserSchema) }), 'The browsers.'),
  },
  removeBrowser: {
    method: 'delete',
    path: '/api/v1/browsers/{id}',
    summary: 'Sign a browser out and close its streams',
    tag: 'browsers',
    params: z.object({ id: IdSchema }),
    reply: none(204, 'Signed out.'),
  },
} satisfies Record<string, Route>;
