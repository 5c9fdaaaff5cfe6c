import { z } from 'zod';
import { LineSchema, TimeSchema } from './common.ts';

export const AgentNameSchema = LineSchema(100).min(1);

/** An agent on this machine. */
export const AgentSchema = z.object({
  agent: z.string(),
  displayName: z.string(),
  source: z.enum(['built-in', 'plugin']),
  replacesBuiltIn: z.string().optional().describe('Source of the adapter that replaces a built-in one.'),
  installed: z.boolean(),
  needsNoInstall: z.boolean().describe('Built into agent-mux or remote: nothing to install.'),
  cliPath: z.string().nullable(),
  version: z.string().nullable(),
  minVersion: z.string(),
  meetsMinVersion: z.boolean(),
  problem: z.string().optional().describe('Why its command failed when queried for its version.'),
  authState: z.enum(['authenticated', 'unauthenticated', 'expired', 'unknown']),
  activeModel: z.string().nullable(),
  evidence: z
    .enum(['verified', 'documented'])
    .nullable()
    .describe(
      'Whether the adapter was verified with the agent or only written from its documentation; null if unknown.',
    ),
  verifiedVersions: z.array(z.string()).describe('Agent versions it was verified with.'),
  defaultMode: z.string(),
  modes: z.array(z.string()),
});
export type Agent = z.infer<typeof AgentSchema>;

export const AgentModeSchema = z.object({
  name: z.string(),
  capabilities: z.record(z.string(), z.unknown()).describe('Capabilities in this mode (AgentCapabilities).'),
  promptDelivery: z
    .enum(['argv', 'stdin', 'file', 'protocol', 'http'])
    .describe('How the agent receives a prompt; `file`: an argument names a helper file.'),
  limitations: z.array(z.string()).describe('What the agent does not report in this mode, one sentence each.'),
});

export const InstallMethodSchema = z.object({
  type: z.string(),
  command: z.string(),
  notes: z.string().optional(),
});

export const AgentDetailSchema = AgentSchema.omit({ modes: true }).extend({
  modes: z.array(AgentModeSchema).describe('Best first.'),
  install: z.array(InstallMethodSchema).describe('Install methods for this machine.'),
  screen: z
    .object({
      resumes: z.boolean().describe('Can resume a session.'),
      takesModel: z.boolean(),
      takesPrompt: z.boolean(),
      approvalModes: z.array(z.string()).describe('Approval modes it can be started with.'),
    })
    .nullable()
    .describe('Its own terminal UI; null if agent-mux cannot start one.'),
});
export type AgentDetail = z.infer<typeof AgentDetailSchema>;

export const ModelSchema = z.object({
  id: z.string(),
  displayName: z.string().optional(),
  aliases: z.array(z.string()).optional(),
  contextWindow: z.number().nullable(),
  maxOutputTokens: z.number().nullable(),
  supportsThinking: z.boolean(),
  supportsImageInput: z.boolean(),
  pricing: z.record(z.string(), z.unknown()).optional().describe('USD per million tokens.'),
});

export const ModelListSchema = z.object({
  agent: z.string(),
  source: z.enum(['agent', 'bundled']).describe('Reported by the agent, or built into this version of agent-mux.'),
  askedAt: TimeSchema.optional(),
  problem: z.string().optional().describe('Why the agent could not be queried, if the list is the bundled one.'),
  models: z.array(ModelSchema),
});

export const AgentLoginSchema = z.object({
  agent: z.string(),
  status: z.enum(['authenticated', 'unauthenticated', 'expired', 'unknown']),
  method: z.string().optional(),
  identity: z.string().optional().describe('The account, if known from local files.'),
  expiresAt: z.number().optional(),
  details: z.string().optional(),
  steps: z.array(z.string()).describe('How to log in.'),
  commands: z.array(z.object({ type: z.string(), name: z.string(), command: z.string() })),
  docsUrl: z.string().optional(),
});
export type AgentLogin = z.infer<typeof AgentLoginSchema>;
