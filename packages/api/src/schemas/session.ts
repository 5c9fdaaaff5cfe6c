import { z } from 'zod';
import {
  FaultSchema,
  FlagSchema,
  IdSchema,
  LineSchema,
  MessageIdSchema,
  PathSchema,
  TimeSchema,
  UsageSchema,
} from './common.ts';
import { BudgetSchema, OnLimitSchema, SessionLimitSchema, WaitsForSchema } from './limit.ts';

/** What a session is doing. `no_signal`: nothing is known. */
export const ACTIVITIES = [
  'spawning',
  'idle',
  'active',
  'waiting_input',
  'blocked',
  'limited',
  'exited',
  'no_signal',
] as const;
export const ActivitySchema = z.enum(ACTIVITIES);
export type Activity = z.infer<typeof ActivitySchema>;

/** Who started the process that a session lives in, or lived in last. */
export const ORIGINS = ['daemon', 'hand', 'terminal'] as const;

export const WorkspaceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: PathSchema }),
  z.object({
    kind: z.literal('worktree'),
    path: PathSchema,
    repository: PathSchema.describe('The work tree that it was made from.'),
    branch: z.string(),
    base: z.string().describe('The commit that it began with.'),
    baseBranch: z.string().nullable(),
    removed: z.boolean(),
    savedRef: z.string().nullable().describe('Where uncommitted work was kept before the worktree was removed.'),
    savedPath: PathSchema.nullable()
      .optional()
      .describe('The folder with what no commit holds: ignored files, folders with their own repository.'),
  }),
]);
export type Workspace = z.infer<typeof WorkspaceSchema>;

export const SessionSchema = z.object({
  id: IdSchema,
  agent: z.string(),
  mode: z.string().nullable().describe("Null until it was started for the first time, with the agent's best mode."),
  nativeId: z.string().nullable().describe("The agent's own id of the session."),
  title: z.string().nullable(),
  summary: z.string().nullable().describe('The beginning of the last answer.'),
  activity: ActivitySchema,
  activitySince: TimeSchema,
  isTerminated: z.boolean().describe('It has ended; `restore` brings it back.'),
  parked: z.boolean().describe('It has no process; the next message brings it back.'),
  origin: z
    .enum(ORIGINS)
    .describe(
      '`hand`: somebody started it in a terminal, and only its hooks tell of it. `terminal`: the same in a terminal of the daemon, which can be watched and typed into. Until it has ended there, no messages can be sent to it.',
    ),
  pinned: z.boolean(),
  cwd: PathSchema,
  workspace: WorkspaceSchema,
  model: z.string().nullable(),
  approvalMode: z.string(),
  options: z
    .record(z.string(), z.unknown())
    .describe('The run options as they were given, without values of variables.'),
  envNames: z.array(z.string()).describe('The variables that were given. Their values are not stored.'),
  trustProject: z.boolean(),
  launch: z.int().describe('How many processes it has had.'),
  launchSeq: z.int().describe('The seq of the first event of the last of them.'),
  keeperPid: z.int().nullable(),
  lastSeq: z.int().min(-1),
  turns: z.int(),
  usage: UsageSchema.nullable(),
  costUsd: z.number().nullable(),
  costSource: z.enum(['reported', 'estimated']).nullable(),
  openRequests: z.int(),
  queuedMessages: z.int(),
  limit: SessionLimitSchema.nullable().describe('The limit that stopped its last turn, and what becomes of it.'),
  waitsFor: WaitsForSchema.nullable().describe('Why what is queued is not sent now.'),
  onLimit: OnLimitSchema.describe('What it does when a limit stops it.'),
  budget: BudgetSchema.nullable().describe('What it may use; nothing is sent to it after that.'),
  account: z
    .string()
    .nullable()
    .describe('Its agent and login, as far as that can be told; null until something is sent.'),
  error: FaultSchema.nullable().describe('Why it ended, or why its last turn failed.'),
  dismissed: TimeSchema.nullable().describe(
    'The `activitySince` of the failure or limit that somebody has waved away; a later one has another.',
  ),
  lastLine: z.string().nullable().describe('What it did last, in a line.'),
  forkedFrom: IdSchema.nullable(),
  tags: z.array(z.string()),
  metadata: z
    .object({
      agentSessionId: z.string().optional(),
      title: z.string().optional(),
      summary: z.string().optional(),
    })
    .catchall(z.string()),
  createdAt: TimeSchema,
  updatedAt: TimeSchema,
  lastActiveAt: TimeSchema,
  rev: z.int().describe('Grows with every change of any row; `changes` goes on from it.'),
});
export type Session = z.infer<typeof SessionSchema>;

/** Run options that a session may be given; the daemon's own are left out. Checked in full by the engine. */
export const SessionOptionsSchema = z
  .record(z.string(), z.unknown())
  .describe('Run options of the SDK (model, approvalMode, systemPrompt, allowedTools, mcpServers, ...).');

export const NewSessionSchema = z.strictObject({
  id: z
    .string()
    .regex(/^s[a-z0-9]{11,39}$/)
    .optional()
    .describe('Chosen by the caller: asking for the same id again begins nothing, and answers with what there is.'),
  agent: LineSchema(100).min(1),
  prompt: z.string().max(10_000_000).optional().describe('The first message. Without it the session waits for one.'),
  messageId: MessageIdSchema.optional(),
  cwd: PathSchema.describe('Absolute.'),
  title: LineSchema(200).optional(),
  options: SessionOptionsSchema.default({}),
  env: z.record(z.string(), z.string()).default({}).describe('Variables for the agent. Used, not stored.'),
  hostEnv: z
    .record(z.string(), z.string())
    .optional()
    .describe("The caller's environment, of which the agent gets what it is allowed. Used, not stored."),
  worktree: z
    .union([z.boolean(), z.strictObject({ branch: LineSchema(200).optional(), base: LineSchema(200).optional() })])
    .default(false)
    .describe('A git worktree of its own, on a branch of its own.'),
  trustProject: z.boolean().default(false),
  files: z.array(IdSchema).max(100).default([]).describe('Uploaded files that go with the prompt.'),
  tags: z.array(LineSchema(100)).max(50).default([]),
  onLimit: OnLimitSchema.optional().describe('When a limit stops it. Default: as the configuration says.'),
  budget: BudgetSchema.optional(),
});
export type NewSession = z.input<typeof NewSessionSchema>;

export const SessionPatchSchema = z.strictObject({
  title: LineSchema(200).nullable().optional(),
  pinned: z.boolean().optional(),
  model: LineSchema(200).optional().describe('From the next turn on, where the agent can.'),
  approvalMode: z.string().max(50).optional(),
  onLimit: OnLimitSchema.optional(),
  budget: BudgetSchema.nullable().optional().describe('Null: as the configuration says.'),
  dismissed: TimeSchema.nullable()
    .optional()
    .describe('Its `activitySince`: that failure or limit needs nobody any more. Null: it does after all.'),
});
export type SessionPatch = z.infer<typeof SessionPatchSchema>;

export const SessionQuerySchema = z.strictObject({
  activity: z.string().optional().describe('One or more, with commas between.'),
  agent: z.string().optional(),
  nativeId: z.string().max(300).optional().describe("The agent's own id of the session."),
  cwd: z.string().optional().describe('Exactly this folder.'),
  text: z.string().max(200).optional().describe('In title, summary, folder or id.'),
  id: z.string().max(40).optional().describe('Begins with.'),
  pinned: FlagSchema.optional(),
  terminated: FlagSchema.optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type SessionQuery = z.infer<typeof SessionQuerySchema>;

/** Activities that a hook can observe; the others are the daemon's own. */
const REPORTABLE = ['active', 'idle', 'waiting_input', 'blocked', 'exited'] as const;

/** What a hook says (seed of the orchestrator contract): a state, and what it knows of the session. */
export const ActivityReportSchema = z.strictObject({
  state: ActivitySchema.extract(REPORTABLE)
    .optional()
    .describe(
      'Counts for a session that another process runs, if nothing newer is known. Else the daemon knows better.',
    ),
  event: LineSchema(100).optional(),
  agentSessionId: LineSchema(300).optional(),
  title: z.string().max(10_000).optional(),
  summary: z.string().max(100_000).optional(),
  deliveryId: LineSchema(100).optional().describe('The same id again changes nothing.'),
  timestamp: TimeSchema.optional().describe('When the hook was called. Default: now.'),
});
export type ActivityReport = z.infer<typeof ActivityReportSchema>;
