import { z } from 'zod';
import { AgentNameSchema } from './agent.ts';
import { IdSchema, LineSchema, TimeSchema } from './common.ts';

/** `TOOL_KINDS` of the SDK; a test compares them. */
export const ToolKindSchema = z.enum([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'fetch',
  'think',
  'mcp',
  'other',
]);
const DecisionSchema = z.enum(['allow', 'ask', 'deny']);
export const RuleNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

const list = (max: number) => z.array(z.string().min(1).max(max)).min(1).max(100).optional();
const criteria = {
  agent: z.array(AgentNameSchema).min(1).max(100).optional().describe('Agent names.'),
  kind: z.array(ToolKindSchema).min(1).max(10).optional(),
  tool: list(2000).describe("The agent's tool names; `*` matches any characters."),
  pattern: list(2000).describe('A command line, path, URL or `server/tool`; `*` matches any characters.'),
  folder: list(2000).describe('Sessions in or below one of these folders.'),
  allowFields: list(2000).describe('Further request fields the rule allows.'),
};

export const NewRuleSchema = z.strictObject({
  name: RuleNameSchema.optional(),
  decision: DecisionSchema,
  ...criteria,
});
export type NewRule = z.infer<typeof NewRuleSchema>;

export const RuleSchema = z.object({
  ...criteria,
  name: z.string(),
  decision: DecisionSchema,
  source: z.enum(['user', 'project']),
  file: z.string(),
  line: z.int(),
  invalid: z
    .literal(true)
    .optional()
    .describe('The rule is invalid. It falls back to `ask` and matches more broadly than written.'),
});

export const RememberScopeSchema = z.enum(['session', 'project', 'global']);
export const RememberSchema = z.strictObject({
  scope: RememberScopeSchema,
  pattern: LineSchema(2000)
    .min(1)
    .optional()
    .describe('Matches similar requests instead of exactly this one. Must match this one, too.'),
});
export type Remember = z.infer<typeof RememberSchema>;

export const RememberedSchema = z.object({
  id: IdSchema,
  decision: z.enum(['allow', 'deny']),
  scope: RememberScopeSchema,
  sessionId: z.string().optional(),
  folder: z.string().optional(),
  agent: z.string(),
  tool: z.string(),
  kind: ToolKindSchema,
  resource: z.string(),
  fingerprint: z.string().optional(),
  pattern: z.string().optional(),
  createdAt: TimeSchema,
  by: z.string(),
});

const ConfigIssueSchema = z.object({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  field: z.string(),
  problem: z.string(),
});

export const PolicySchema = z.object({
  rules: z.array(RuleSchema).describe("The user's rules, then the applicable ones of the project, each in file order."),
  issues: z.array(ConfigIssueSchema),
  remembered: z.array(RememberedSchema),
  suspended: z.string().nullable().describe('Why allow rules are suspended.'),
});

const scope = {
  cwd: z
    .string()
    .max(4096)
    .regex(/^(?:\/|[A-Za-z]:[\\/])[^\x00\r\n]*$/, 'must be an absolute path')
    .optional()
    .describe('A folder whose project rules apply.'),
};
export const PolicyQuerySchema = z.strictObject(scope);

export const PolicyTestSchema = z.strictObject({
  ...scope,
  agent: AgentNameSchema,
  kind: ToolKindSchema,
  tool: z.string().min(1).max(500).optional().describe("The agent's tool name."),
  resource: z.string().max(100_000).optional().describe('A command line, path, URL or `server/tool`.'),
  sessionId: IdSchema.optional(),
  trustProject: z.boolean().optional(),
});

export const VerdictSchema = z.object({
  decision: DecisionSchema,
  rule: RuleSchema.nullable(),
  remembered: RememberedSchema.nullable(),
  reason: z.string(),
});

export const RuleWrittenSchema = z.object({ file: z.string(), created: z.boolean() });
