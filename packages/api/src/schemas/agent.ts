import { z } from 'zod';
import { LineSchema, TimeSchema } from './common.ts';

export const AgentNameSchema = LineSchema(100).min(1);

/** What is known of an agent on this machine. */
export const AgentSchema = z.object({
  agent: z.string(),
  displayName: z.string(),
  source: z.enum(['built-in', 'plugin']),
  replacesBuiltIn: z
    .string()
    .optional()
    .describe('Where the adapter comes from that took the place of a built-in one.'),
  installed: z.boolean(),
  needsNoInstall: z.boolean().describe('It is part of agent-mux, or elsewhere: there is nothing to install.'),
  cliPath: z.string().nullable(),
  version: z.string().nullable(),
  minVersion: z.string(),
  meetsMinVersion: z.boolean(),
  problem: z.string().optional().describe('How its command fails when it is asked for its version.'),
  authState: z.enum(['authenticated', 'unauthenticated', 'expired', 'unknown']),
  activeModel: z.string().nullable(),
  evidence: z
    .enum(['proven', 'documented'])
    .nullable()
    .describe('The adapter was proven with the agent itself, or made from its documents alone; null: nobody says.'),
  provenVersions: z.array(z.string()).describe('Of the agent that it was proven with.'),
  defaultMode: z.string(),
  modes: z.array(z.string()),
});
export type Agent = z.infer<typeof AgentSchema>;

export const AgentModeSchema = z.object({
  name: z.string(),
  capabilities: z.record(z.string(), z.unknown()).describe('What the agent can do in this mode (AgentCapabilities).'),
  promptDelivery: z
    .enum(['argv', 'stdin', 'file', 'protocol', 'http'])
    .describe('How the agent receives a prompt; `file`: an argument names a helper file.'),
  limitations: z.array(z.string()).describe('What the agent does not report in this mode, in a sentence each.'),
});

export const InstallMethodSchema = z.object({
  type: z.string(),
  command: z.string(),
  notes: z.string().optional(),
});

export const AgentDetailSchema = AgentSchema.omit({ modes: true }).extend({
  modes: z.array(AgentModeSchema).describe('The best first.'),
  install: z.array(InstallMethodSchema).describe('How it is installed on this machine.'),
  screen: z
    .object({
      resumes: z.boolean().describe('It can go on with a session.'),
      takesModel: z.boolean(),
      takesPrompt: z.boolean(),
      approvalModes: z.array(z.string()).describe('Those that it can be started with.'),
    })
    .nullable()
    .describe('Its own screen, for a terminal; null: it has none that agent-mux knows how to start.'),
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
  source: z
    .enum(['agent', 'bundled'])
    .describe('As the agent itself tells, or as this version of agent-mux knows them.'),
  askedAt: TimeSchema.optional(),
  problem: z.string().optional().describe('Why the agent was asked and the list is the bundled one.'),
  models: z.array(ModelSchema),
});

export const AgentLoginSchema = z.object({
  agent: z.string(),
  status: z.enum(['authenticated', 'unauthenticated', 'expired', 'unknown']),
  method: z.string().optional(),
  identity: z.string().optional().describe('Who, where that is known without asking anybody.'),
  expiresAt: z.number().optional(),
  details: z.string().optional(),
  steps: z.array(z.string()).describe('How to log in.'),
  commands: z.array(z.object({ type: z.string(), name: z.string(), command: z.string() })),
  docsUrl: z.string().optional(),
});
export type AgentLogin = z.infer<typeof AgentLoginSchema>;
