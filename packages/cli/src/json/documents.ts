/**
 * What every `--json` prints, by command and action: types only, nothing of it is there at run time. `npm run docs` makes a
 * JSON Schema of each (docs/json). A list is always an array with a name, within an object.
 */
import type {
  AccountQuota,
  Inbox,
  Session as KeptSession,
  LimitOverview,
  Message,
  Notification,
  NotificationList,
  RemovedSession,
  Request,
  Schedule,
  ScheduleDetail,
  ScheduleRun,
  SessionEvent,
} from '@agent-mux/api';
import type {
  AdapterProblem,
  AgentAuth,
  AgentConfigSchema,
  AgentEvent,
  AuthGuide,
  ConfigChangeResult,
  ConfigEnv,
  ConfigFault,
  ConfigFile,
  ConfigFinding,
  ConfigReading,
  FileEdit,
  Finding,
  HookChange,
  HookStatus,
  InstalledPlugin,
  InstalledSkill,
  InstallOutcome,
  McpChange,
  McpConfigForm,
  McpList,
  ModelCapabilities,
  ModelVerdict,
  PlacedSkill,
  PluginListing,
  PluginSupport,
  PolicyOverview,
  PolicyVerdict,
  QuotaStatus,
  RememberedAnswer,
  RunResult,
  Session,
  SessionCosts,
  SessionDiff,
  SessionFormat,
  SessionList,
  SessionSearch,
  SessionSummary,
  SessionUpdate,
  TokenUsage,
} from '@agent-mux/core';
import type { Proven } from '@agent-mux/testkit';
import type { AgentRow } from '../agents/agent-table.ts';
import type { CapabilityRow } from '../capability-rows.ts';
import type { Detected } from '../commands/detect.ts';
import type { Shell } from '../completions/scripts.ts';
import type { Failure } from '../failure.ts';
import type { ModelOverview } from '../models/model-table.ts';
import type { AgentThere } from '../remote/agent-there.ts';

/** Commands that print one document. A key is the command and its action, which is `list` or `status` where none is said. */
export interface JsonDocuments {
  agents: {
    /** Those that can be run, installed or not. */
    agents: readonly AgentRow[];
    /** Definitions that cannot be run as they are written. */
    faulty: readonly { agent: string; faults: readonly ConfigFault[] }[];
    /** What the project defines, which is not used without `--trust-project`. */
    untrusted: readonly { agent: string; file: string; line: number }[];
    /** Adapters that a configuration file names and that could not be loaded. */
    notLoaded: readonly NotLoaded[];
  };
  /** The request, with what came of it. */
  answer: Request;
  /** The request, with what came of it. */
  approve: Request;
  'auth guide': AuthGuide & { state: AgentAuth };
  'auth status': { agents: readonly AgentAuth[] };
  /** One entry for each mode that is shown. */
  capabilities: { modes: readonly CapabilityRow[] };
  completions: { shell: Shell; install: string; script: string };
  'config get': ConfigReading;
  'config path': { agent: string; files: readonly ConfigFile[] };
  'config schema': ConfigSchemaDocument;
  'config set': ConfigChangeResult;
  'config unset': ConfigChangeResult;
  'config validate': { findings: readonly ConfigFinding[] };
  /** The request, with what came of it. */
  deny: Request;
  /** With an agent: what is known of it. Without one: of all, in `agents`. */
  detect: Detected | { agents: readonly Detected[] };
  'detect-host': { agent: string; signal: string } | { agent: null; signal: null };
  doctor: {
    /** No finding is an error. */
    ok: boolean;
    counts: Record<Finding['level'], number>;
    findings: readonly Finding[];
  };
  down: {
    /** Of the daemon that has ended; null where none ran. */
    pid: number | null;
    /** Sessions that go on without it. */
    live: number;
  };
  /** The session that it has become. */
  fork: KeptSession;
  'hooks install': HookChange;
  /** With an agent: of this one. Without one: of all that have hooks. */
  'hooks status': { agents: readonly HookStatus[] };
  'hooks uninstall': HookChange;
  /** All that waits for a person. */
  inbox: Inbox;
  install: InstallOutcome;
  interrupt: KeptSession;
  /** The session, as it stands now. */
  'limits cancel': KeptSession;
  'limits list': LimitOverview;
  'limits now': KeptSession;
  'limits raise': KeptSession;
  'limits set': KeptSession;
  'mcp add': { name: string; changes: readonly McpChange[] };
  'mcp list': McpList;
  'mcp remove': { name: string; changes: readonly McpChange[] };
  'models check': ModelVerdict;
  'models cost': {
    agent: string;
    model: string;
    /** Null: there is no such model. */
    id: string | null;
    usage: Omit<TokenUsage, 'totalTokens'>;
    /** Null: a price is not known. */
    costUsd: number | null;
    costSource: 'estimated' | null;
    pricing: NonNullable<ModelCapabilities['pricing']> | null;
  };
  /** With an agent: its models. Without one: those of all agents. */
  'models list': ModelOverview | { agents: readonly ModelOverview[] };
  new: KeptSession;
  /** The targets, what was told to them, and what is wrong in the configuration. */
  'notify list': NotificationList;
  /** One for each target. */
  'notify test': { notifications: readonly Notification[] };
  park: KeptSession;
  /** A link that signs a browser in, once. */
  open: { url: string };
  'plugins install': InstalledPlugin & { agent: string };
  /** With an agent: its plugins. Without one: the agents whose plugins can be managed. */
  'plugins list': { agent: string; plugins: readonly InstalledPlugin[] } | { agents: readonly PluginSupport[] };
  'plugins search': { agent: string; plugins: readonly PluginListing[] };
  'plugins uninstall': { agent: string; id: string; removed: true };
  'policy add': FileEdit;
  'policy forget': { forgotten: readonly RememberedAnswer[] };
  'policy list': PolicyOverview;
  'policy remove': FileEdit;
  'policy test': PolicyVerdict;
  'profiles delete': FileEdit & { name: string };
  'profiles list': { profiles: readonly ListedProfile[] };
  'profiles set': FileEdit & { name: string };
  'profiles show': {
    name: string;
    options: Readonly<Record<string, unknown>>;
    /** Each option with the file and line that say it. */
    fields: readonly { field: string; value: unknown; file: string; line: number }[];
  };
  /** Those that wait for a person first. */
  ps: { sessions: readonly KeptSession[] };
  quota: {
    /** What each agent has told last in a run here. */
    agents: readonly QuotaStatus[];
    /** What the daemon knows, by agent and login; none where it does not run. */
    accounts: readonly AccountQuota[];
  };
  'remote install': FoundThere;
  'remote verify': FoundThere;
  restore: KeptSession;
  /** Those that were removed, as they were. */
  rm: { sessions: readonly KeptSession[]; removed: readonly RemovedSession[] };
  'schedule add': Schedule;
  /** The next to run first. */
  'schedule list': { schedules: readonly Schedule[] };
  'schedule pause': Schedule;
  'schedule resume': Schedule;
  /** Those that were removed, as they were. */
  'schedule rm': { schedules: readonly Schedule[] };
  'schedule run': ScheduleRun;
  'schedule show': ScheduleDetail;
  /** The message, as it stands now. */
  send: Message;
  'sessions cost': SessionCosts;
  'sessions delete': { deleted: readonly SessionSummary[] };
  'sessions diff': SessionDiff;
  /** With `--out`; without it, the export itself is printed. */
  'sessions export': { file: string; format: SessionFormat; bytes: number };
  'sessions list': SessionList;
  'sessions search': SessionSearch;
  'sessions show': Session;
  show: KeptSession;
  'skills add': { skills: readonly PlacedSkill[] };
  'skills list': { skills: readonly InstalledSkill[] };
  'skills remove': { skills: readonly InstalledSkill[] };
  status: DaemonStatus;
  stop: KeptSession;
  uninstall: InstallOutcome;
  /** With `--install` or `--uninstall` what was done to the system's own services. */
  up: DaemonStatus | ServiceChange;
  update: InstallOutcome;
}

/** Commands that print a line for each thing that happens. */
export interface JsonLines {
  /** As `events`. */
  attach: SessionEvent;
  /** As `run`. */
  demo: AgentEvent | RunResultLine;
  /** One event a line, those of all runs of the session; a run_result is the last of each. */
  events: SessionEvent;
  /** One line of the daemon's log. */
  logs: { type: 'log'; line: string };
  /** One event a line, then the result. With `--detach`: the session, as `new` prints it. */
  run: AgentEvent | RunResultLine;
  /** One line for each message that is said. */
  'sessions watch': SessionUpdate;
  /** One line for each case. */
  verify: Proven & { type: 'proof' };
}

/** Of the daemon; null where it does not run. */
interface ServiceChange {
  /** The unit or property list. */
  file: string;
  change: 'install' | 'uninstall';
  /** The system's own manager has been told. */
  done: boolean;
  /** Commands that are left to do by hand. */
  missing: string[];
}

export interface DaemonStatus {
  running: boolean;
  pid: number | null;
  /** Where it listens. */
  url: string | null;
  version: string | null;
  startedAt: number | null;
  /** Why it is not ready, or cannot store anything; null: it works. */
  problem: string | null;
  sessions: {
    total: number;
    /** With a process. */
    live: number;
    working: number;
    /** For a person. */
    waiting: number;
  } | null;
}

/** The last line of a run, also of one that failed. */
export type RunResultLine = RunResult & { type: 'run_result' };

/** In the place of any of them: what kept the command from a result. It has no `seq`, which tells it from an event. */
export type ErrorLine = Failure & { type: 'error' };

interface NotLoaded extends Omit<AdapterProblem, 'from'> {
  /** As the configuration file names it. */
  adapter: string;
}

/** What the agent's own files hold, as data: how it is translated is code. */
export interface ConfigSchemaDocument extends Omit<AgentConfigSchema, 'mcp' | 'env'> {
  mcp?: Omit<McpConfigForm, 'encode' | 'decode'>;
  env?: readonly (Omit<ConfigEnv, 'reference'> & {
    /** How a text refers to a variable, as a regular expression. */
    reference?: string;
  })[];
}

interface ListedProfile {
  name: string;
  /** As a run gets them, merged; secrets are masked. */
  options: Readonly<Record<string, unknown>>;
  /** The files that it is merged from, the user's first. */
  files: readonly { file: string; line: number }[];
}

interface FoundThere extends AgentThere {
  /** The place, as it was given. */
  target: string;
  /** The command that was run there. */
  installedBy?: string;
}
