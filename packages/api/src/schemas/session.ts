import { z } from 'zod';
import {
  ErrorInfoSchema,
  FlagSchema,
  IdSchema,
  LineSchema,
  MessageIdSchema,
  PathSchema,
  TimeSchema,
  UsageSchema,
} from './common.ts';
import { BudgetSchema, OnLimitSchema, SessionLimitSchema, WaitingForSchema } from './limit.ts';

/** Activity of a session. `no_signal`: unknown. */
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

/** Who started the session's current or last process. */
export const ORIGINS = ['daemon', 'unmanaged', 'terminal'] as const;

export const WorkspaceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: PathSchema }),
  z.object({
    kind: z.literal('worktree'),
    path: PathSchema,
    repository: PathSchema.describe('The main work tree of the repository.'),
    branch: z.string(),
    base: z.string().describe('The commit it was created from.'),
    baseBranch: z.string().nullable(),
    removed: z.boolean(),
    savedRef: z.string().nullable().describe('Ref with the uncommitted work saved when the worktree was removed.'),
    savedPath: PathSchema.nullable()
      .optional()
      .describe('Folder with saved files that git does not store: ignored files, folders with their own repository.'),
  }),
]);
export type Workspace = z.infer<typeof WorkspaceSchema>;

export const SessionSchema = z.object({
  id: IdSchema,
  agent: z.string(),
  mode: z.string().nullable().describe("Null until the first start, which uses the agent's best mode."),
  agentSessionId: z.string().nullable().describe("The agent's session id."),
  title: z.string().nullable(),
  summary: z.string().nullable().describe('Start of the last answer.'),
  activity: ActivitySchema,
  activitySince: TimeSchema,
  isTerminated: z.boolean().describe('Ended; can be restored.'),
  parked: z.boolean().describe('Has no process; the next message starts one.'),
  origin: z
    .enum(ORIGINS)
    .describe(
      '`unmanaged`: started in a terminal outside of agent-mux, known through its hooks only. `terminal`: in a terminal hosted by the daemon, which can be watched and typed into. Neither accepts messages until it has ended there.',
    ),
  pinned: z.boolean(),
  cwd: PathSchema,
  workspace: WorkspaceSchema,
  model: z.string().nullable(),
  approvalMode: z.string(),
  options: z.record(z.string(), z.unknown()).describe('Run options as given, without values of variables.'),
  envNames: z.array(z.string()).describe('Names of the variables that were given. Their values are not stored.'),
  trustProject: z.boolean(),
  launch: z.int().describe('Number of processes it has had.'),
  launchSeq: z.int().describe('The seq of the first event of the last launch.'),
  keeperPid: z.int().nullable(),
  lastSeq: z.int().min(-1),
  turns: z.int(),
  usage: UsageSchema.nullable(),
  costUsd: z.number().nullable(),
  costSource: z.enum(['reported', 'estimated']).nullable(),
  openRequests: z.int(),
  queuedMessages: z.int(),
  limit: SessionLimitSchema.nullable().describe('The limit that stopped its last turn.'),
  waitingFor: WaitingForSchema.nullable().describe('Why queued messages are not sent now.'),
  onLimit: OnLimitSchema.describe('What it does at a limit.'),
  budget: BudgetSchema.nullable().describe('Maximum usage; messages are queued when it is exhausted.'),
  account: z.string().nullable().describe('Its agent and login, as far as known; null until a message is sent.'),
  error: ErrorInfoSchema.nullable().describe('Why it ended, or why its last turn failed.'),
  dismissed: TimeSchema.nullable().describe(
    'The `activitySince` of the failure or limit that the user dismissed; a later one differs.',
  ),
  statusText: z.string().nullable().describe('Current status in one line.'),
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
  rev: z.int().describe('Increases with every change of any row; see `changes`.'),
});
export type Session = z.infer<typeof SessionSchema>;

/** Run options a session accepts, without those managed by the daemon. The engine validates them. */
export const SessionOptionsSchema = z
  .record(z.string(), z.unknown())
  .describe('Run options of the SDK (model, approvalMode, systemPrompt, allowedTools, mcpServers, ...).');

export const NewSessionSchema = z.strictObject({
  id: z
    .string()
    .regex(/^s[a-z0-9]{11,39}$/)
    .optional()
    .describe('Chosen by the caller: a request with the same id starts nothing and returns the existing session.'),
  agent: LineSchema(100).min(1),
  prompt: z.string().max(10_000_000).optional().describe('The first message. Without it, the session waits for one.'),
  messageId: MessageIdSchema.optional(),
  cwd: PathSchema.describe('Absolute.'),
  title: LineSchema(200).optional(),
  options: SessionOptionsSchema.default({}),
  env: z.record(z.string(), z.string()).default({}).describe('Variables for the agent. Used, but not stored.'),
  hostEnv: z
    .record(z.string(), z.string())
    .optional()
    .describe("The caller's environment; the agent gets the allowed variables. Used, but not stored."),
  worktree: z
    .union([z.boolean(), z.strictObject({ branch: LineSchema(200).optional(), base: LineSchema(200).optional() })])
    .default(false)
    .describe('Creates a git worktree with its own branch.'),
  trustProject: z.boolean().default(false),
  files: z.array(IdSchema).max(100).default([]).describe('Uploaded files to attach to the prompt.'),
  tags: z.array(LineSchema(100)).max(50).default([]),
  onLimit: OnLimitSchema.optional().describe('At a limit. Default: as configured.'),
  budget: BudgetSchema.optional(),
});
export type NewSession = z.input<typeof NewSessionSchema>;

export const SessionPatchSchema = z.strictObject({
  title: LineSchema(200).nullable().optional(),
  pinned: z.boolean().optional(),
  model: LineSchema(200).optional().describe('From the next turn on, if the agent supports it.'),
  approvalMode: z.string().max(50).optional(),
  onLimit: OnLimitSchema.optional(),
  budget: BudgetSchema.nullable().optional().describe('Null: the configured default.'),
  dismissed: TimeSchema.nullable()
    .optional()
    .describe('Its `activitySince`: dismisses that failure or limit. Null: undoes it.'),
});
export type SessionPatch = z.infer<typeof SessionPatchSchema>;

export const SessionQuerySchema = z.strictObject({
  activity: z.string().optional().describe('One or more, separated by commas.'),
  agent: z.string().optional(),
  agentSessionId: z.string().max(300).optional().describe("The agent's session id."),
  cwd: z.string().optional().describe('Exactly this folder.'),
  text: z.string().max(200).optional().describe('In title, summary, folder or id.'),
  id: z.string().max(40).optional().describe('Id prefix.'),
  pinned: FlagSchema.optional(),
  terminated: FlagSchema.optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type SessionQuery = z.infer<typeof SessionQuerySchema>;

/** Activities a hook can report; the others are set by the daemon. */
const REPORTABLE = ['active', 'idle', 'waiting_input', 'blocked', 'exited'] as const;

/** A hook report: an activity state and metadata of the session. */
export const ActivityReportSchema = z.strictObject({
  state: ActivitySchema.extract(REPORTABLE)
    .optional()
    .describe(
      "Applies to unmanaged sessions unless something newer is known. For others, the daemon's own state applies.",
    ),
  event: LineSchema(100).optional(),
  agentSessionId: LineSchema(300).optional(),
  title: z.string().max(10_000).optional(),
  summary: z.string().max(100_000).optional(),
  deliveryId: LineSchema(100).optional().describe('The same id again has no effect.'),
  timestamp: TimeSchema.optional().describe('When the hook was called. Default: now.'),
});
export type ActivityReport = z.infer<typeof ActivityReportSchema>;
