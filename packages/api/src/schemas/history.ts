import { z } from 'zod';
import { CursorSchema, LimitSchema, LineSchema, MessageIdSchema, PathSchema, UsageSchema } from './common.ts';

/** A session stored by its agent. */
export const StoredSessionSummarySchema = z.object({
  agent: z.string(),
  agentSessionId: z.string().describe("The agent's session id."),
  title: z.string().optional(),
  firstPrompt: z.string().optional(),
  cwd: z.string().optional(),
  project: z.string().optional().describe('The repository, if `cwd` is a worktree created by agent-mux.'),
  model: z.string().optional(),
  createdAt: z.number().optional(),
  updatedAt: z.number().optional(),
  parentSessionId: z.string().optional(),
  messageCount: z.int(),
  toolCallCount: z.int(),
  usage: UsageSchema.nullable(),
  costUsd: z.number().nullable(),
  costSource: z.enum(['reported', 'estimated']).nullable(),
  snippet: z
    .array(z.object({ text: z.string(), match: z.boolean() }))
    .optional()
    .describe('Text around the search terms.'),
});
export type StoredSessionSummary = z.infer<typeof StoredSessionSummarySchema>;

export const HistoryQuerySchema = z.strictObject({
  agent: LineSchema(100).optional(),
  cwd: PathSchema.optional().describe('This folder and those below it, including worktrees created from them.'),
  text: LineSchema(500).optional().describe('All words must occur.'),
  cursor: z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
  limit: LimitSchema,
});

export const HistoryPageSchema = z.object({
  sessions: z.array(StoredSessionSummarySchema),
  nextCursor: CursorSchema,
  problems: z.array(z.object({ agent: z.string().optional(), path: z.string(), problem: z.string() })),
});

const StoredMessageSchema = z.object({
  id: z.string().optional(),
  role: z.enum(['user', 'assistant', 'system']),
  text: z.string(),
  thinking: z.string().optional(),
  toolCalls: z
    .array(
      z.object({
        toolCallId: z.string(),
        toolName: z.string(),
        input: z.unknown().optional(),
        output: z.string().optional(),
        isError: z.boolean().optional(),
      }),
    )
    .optional(),
  parts: z.array(z.record(z.string(), z.unknown())).optional(),
  timestamp: z.number().optional(),
  model: z.string().optional(),
  usage: UsageSchema.optional(),
  costUsd: z.number().nullable().optional(),
});

export const StoredConversationSchema = z.object({
  agent: z.string(),
  agentSessionId: z.string(),
  title: z.string().optional(),
  cwd: z.string().optional(),
  model: z.string().optional(),
  createdAt: z.number().optional(),
  updatedAt: z.number().optional(),
  parentSessionId: z.string().optional(),
  messages: z.array(StoredMessageSchema),
  branches: z
    .array(z.object({ id: z.string(), active: z.boolean(), messages: z.array(StoredMessageSchema) }))
    .optional(),
  usage: UsageSchema.optional(),
  costUsd: z.number().nullable().optional(),
  warnings: z.array(z.string()).optional(),
});

export const ImportSessionSchema = z.strictObject({
  cwd: PathSchema.optional().describe('Absolute. Default: as stored by the agent.'),
  options: z.record(z.string(), z.unknown()).optional().describe('Run options of the SDK.'),
});

export const ForkSchema = z.strictObject({
  prompt: z.string().max(10_000_000).optional(),
  messageId: MessageIdSchema.optional(),
  title: LineSchema(200).optional(),
  withChanges: z.boolean().optional().describe('Copy the uncommitted work of the other worktree, too. Default false.'),
});

export const RestoreSchema = z.strictObject({
  env: z.record(z.string(), z.string()).optional().describe('Values of variables the session needs to be restored.'),
});

/** The agent's session id, in whatever format it has. */
export const AgentSessionIdSchema = LineSchema(500).min(1);
export const SessionIdParams = z.object({
  id: AgentSessionIdSchema.describe("The session id, a unique prefix of it, or the agent's session id."),
});
