import { z } from 'zod';
import { AgentNameSchema } from './agent.ts';
import { IdSchema, LineSchema, TimeSchema } from './common.ts';

/** The words of `TOOL_KINDS` in the SDK; a test compares them. */
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

const words = (max: number) => z.array(z.string().min(1).max(max)).min(1).max(100).optional();
const criteria = {
  agent: z.array(AgentNameSchema).min(1).max(100).optional().describe('Names of agents.'),
  kind: z.array(ToolKindSchema).min(1).max(10).optional(),
  tool: words(2000).describe("The agent's own names of its tools; `*` stands for any characters."),
  pattern: words(2000).describe('A command line, a path, an address, `server/tool`; `*` stands for any characters.'),
  folder: words(2000).describe('Sessions in one of these folders, or below.'),
  also: words(2000).describe('What else a request may ask for, by the names of its fields.'),
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
  faulty: z.literal(true).optional().describe('It has a fault, and so asks, about more than it would have.'),
});

export const RememberScopeSchema = z.enum(['session', 'project', 'everywhere']);
export const RememberSchema = z.strictObject({
  scope: RememberScopeSchema,
  pattern: LineSchema(2000)
    .min(1)
    .optional()
    .describe('Whatever looks like this, in the place of exactly what was asked. It must cover that.'),
});
export type Remember = z.infer<typeof RememberSchema>;

export const RememberedSchema = z.object({
  id: IdSchema,
  decision: z.enum(['allow', 'deny']),
  scope: RememberScopeSchema,
  session: z.string().optional(),
  folder: z.string().optional(),
  agent: z.string(),
  tool: z.string(),
  kind: ToolKindSchema,
  asked: z.string(),
  fingerprint: z.string().optional(),
  pattern: z.string().optional(),
  at: TimeSchema,
  by: z.string(),
});

const FaultSchema = z.object({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  field: z.string(),
  problem: z.string(),
});

export const PolicySchema = z.object({
  rules: z
    .array(RuleSchema)
    .describe("The user's, then those of the project that count, each in the order of its file."),
  faults: z.array(FaultSchema),
  remembered: z.array(RememberedSchema),
  suspended: z.string().nullable().describe('Why nothing is allowed, whatever the rules say.'),
});

const place = {
  cwd: z
    .string()
    .max(4096)
    .regex(/^(?:\/|[A-Za-z]:[\\/])[^\x00\r\n]*$/, 'must be an absolute path')
    .optional()
    .describe('A folder, for the rules of its project.'),
};
export const PolicyQuerySchema = z.strictObject(place);

export const TrialSchema = z.strictObject({
  ...place,
  agent: AgentNameSchema,
  kind: ToolKindSchema,
  tool: z.string().min(1).max(500).optional().describe("The agent's own name of the tool."),
  asked: z.string().max(100_000).optional().describe('A command line, a path, an address or `server/tool`.'),
  session: IdSchema.optional(),
  trustProject: z.boolean().optional(),
});

export const VerdictSchema = z.object({
  decision: DecisionSchema,
  rule: RuleSchema.nullable(),
  remembered: RememberedSchema.nullable(),
  reason: z.string(),
});

export const RuleWrittenSchema = z.object({ file: z.string(), created: z.boolean() });
