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
  AddedSkill,
  AgentAuth,
  AgentConfigSchema,
  AgentEvent,
  AuthGuide,
  ConfigChangeResult,
  ConfigEnv,
  ConfigFile,
  ConfigFinding,
  ConfigIssue,
  ConfigValues,
  FileEdit,
  Finding,
  HookChange,
  HookStatus,
  InstalledPlugin,
  InstalledSkill,
  InstallOutcome,
  McpChange,
  McpConfigFormat,
  McpList,
  ModelCapabilities,
  ModelValidation,
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
import type { VerifyOutcome } from '@agent-mux/testkit';
import type { AgentRow } from '../agents/agent-table.ts';
import type { CapabilityRow } from '../capability-rows.ts';
import type { Detected } from '../commands/detect.ts';
import type { Shell } from '../completions/scripts.ts';
import type { Failure } from '../failure.ts';
import type { ModelOverview } from '../models/model-table.ts';
import type { RemoteAgent } from '../remote/remote-agent.ts';

/** Commands that print one document. The key is the command and its subcommand (default `list` or `status`). */
export interface JsonDocuments {
  agents: {
    /** Agents that can be run, installed or not. */
    agents: readonly AgentRow[];
    /** Invalid agent definitions. */
    invalid: readonly { agent: string; issues: readonly ConfigIssue[] }[];
    /** Agents defined by the project, which require `--trust-project`. */
    untrusted: readonly { agent: string; file: string; line: number }[];
    /** Adapters named in a configuration file that could not be loaded. */
    notLoaded: readonly NotLoaded[];
  };
  /** The request with its outcome. */
  answer: Request;
  /** The request with its outcome. */
  approve: Request;
  'auth guide': AuthGuide & { state: AgentAuth };
  'auth status': { agents: readonly AgentAuth[] };
  /** One entry per shown mode. */
  capabilities: { modes: readonly CapabilityRow[] };
  completion: { shell: Shell; install: string; script: string };
  'config get': ConfigValues;
  'config path': { agent: string; files: readonly ConfigFile[] };
  'config schema': ConfigSchemaDocument;
  'config set': ConfigChangeResult;
  'config unset': ConfigChangeResult;
  'config validate': { findings: readonly ConfigFinding[] };
  /** The request with its outcome. */
  deny: Request;
  /** With an agent: that agent. Without: all agents, in `agents`. */
  detect: Detected | { agents: readonly Detected[] };
  'detect-host': { agent: string; signal: string } | { agent: null; signal: null };
  doctor: {
    /** True if no finding is an error. */
    ok: boolean;
    counts: Record<Finding['level'], number>;
    findings: readonly Finding[];
  };
  down: {
    /** The stopped daemon; null if none was running. */
    pid: number | null;
    /** Number of sessions that keep running. */
    live: number;
  };
  /** The new session. */
  fork: KeptSession;
  'hooks install': HookChange;
  /** With an agent: that agent. Without: all agents that support hooks. */
  'hooks status': { agents: readonly HookStatus[] };
  'hooks uninstall': HookChange;
  /** Everything that needs the user. */
  inbox: Inbox;
  install: InstallOutcome;
  interrupt: KeptSession;
  /** The session after the change. */
  'limits cancel': KeptSession;
  'limits list': LimitOverview;
  'limits continue': KeptSession;
  'limits budget': KeptSession;
  'limits set': KeptSession;
  'mcp add': { name: string; changes: readonly McpChange[] };
  'mcp list': McpList;
  'mcp remove': { name: string; changes: readonly McpChange[] };
  'models check': ModelValidation;
  'models cost': {
    agent: string;
    model: string;
    /** Null if the model is unknown. */
    id: string | null;
    usage: Omit<TokenUsage, 'totalTokens'>;
    /** Null if a price is unknown. */
    costUsd: number | null;
    costSource: 'estimated' | null;
    pricing: NonNullable<ModelCapabilities['pricing']> | null;
  };
  /** With an agent: its models. Without: those of all agents. */
  'models list': ModelOverview | { agents: readonly ModelOverview[] };
  new: KeptSession;
  /** Targets, recent deliveries and configuration issues. */
  'notify list': NotificationList;
  /** One entry per target. */
  'notify test': { notifications: readonly Notification[] };
  park: KeptSession;
  /** A one-time login link for a browser. */
  open: { url: string };
  'plugins install': InstalledPlugin & { agent: string };
  /** With an agent: its plugins. Without: the agents that support plugins. */
  'plugins list': { agent: string; plugins: readonly InstalledPlugin[] } | { agents: readonly PluginSupport[] };
  'plugins search': { agent: string; plugins: readonly PluginListing[] };
  'plugins uninstall': { agent: string; id: string; removed: true };
  'policy add': FileEdit;
  'policy forget': { forgotten: readonly RememberedAnswer[] };
  'policy list': PolicyOverview;
  'policy remove': FileEdit;
  'policy test': PolicyVerdict;
  'profiles remove': FileEdit & { name: string };
  'profiles list': { profiles: readonly ListedProfile[] };
  'profiles set': FileEdit & { name: string };
  'profiles show': {
    name: string;
    options: Readonly<Record<string, unknown>>;
    /** Each option with its file and line. */
    fields: readonly { field: string; value: unknown; file: string; line: number }[];
  };
  /** Sessions that need input first. */
  ps: { sessions: readonly KeptSession[] };
  quota: {
    /** What each agent reported in its latest run. */
    agents: readonly QuotaStatus[];
    /** Per agent and login, from the daemon; empty if it is not running. */
    accounts: readonly AccountQuota[];
  };
  'remote install': FoundThere;
  'remote verify': FoundThere;
  restore: KeptSession;
  /** The removed sessions. */
  rm: { sessions: readonly KeptSession[]; removed: readonly RemovedSession[] };
  'schedule add': Schedule;
  /** Next run first. */
  'schedule list': { schedules: readonly Schedule[] };
  'schedule pause': Schedule;
  'schedule resume': Schedule;
  /** The removed schedules. */
  'schedule remove': { schedules: readonly Schedule[] };
  'schedule run': ScheduleRun;
  'schedule show': ScheduleDetail;
  /** The message after sending. */
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
  'skills add': { skills: readonly AddedSkill[] };
  'skills list': { skills: readonly InstalledSkill[] };
  'skills remove': { skills: readonly InstalledSkill[] };
  status: DaemonStatus;
  stop: KeptSession;
  uninstall: InstallOutcome;
  /** With `--install-service` or `--uninstall-service`: the change of the system service. */
  up: DaemonStatus | ServiceChange;
  update: InstallOutcome;
}

/** Commands that print one line per event. */
export interface JsonLines {
  /** As `events`. */
  attach: SessionEvent;
  /** As `run`. */
  demo: AgentEvent | RunResultLine;
  /** One event per line, over all runs of the session; each run ends with a run_result. */
  events: SessionEvent;
  /** One line of the daemon log. */
  logs: { type: 'log'; line: string };
  /** One event per line, then the result. With `--detach`: the session, as printed by `new`. */
  run: AgentEvent | RunResultLine;
  /** One line per message. */
  'sessions watch': SessionUpdate;
  /** One line per case. */
  verify: VerifyOutcome & { type: 'verify_result' };
}

/** Status of the daemon; fields are null if it is not running. */
interface ServiceChange {
  /** The systemd unit or launchd property list. */
  file: string;
  change: 'install' | 'uninstall';
  /** Whether the service manager accepted the change. */
  done: boolean;
  /** Commands left to run manually. */
  missing: string[];
}

export interface DaemonStatus {
  running: boolean;
  pid: number | null;
  /** Address of the API. */
  url: string | null;
  version: string | null;
  startedAt: number | null;
  /** Why it is not ready or cannot store data; null if it works. */
  problem: string | null;
  sessions: {
    total: number;
    /** With a running process. */
    live: number;
    working: number;
    /** Waiting for the user. */
    waiting: number;
  } | null;
}

/** The last line of a run, also of a failed one. */
export type RunResultLine = RunResult & { type: 'run_result' };

/** Printed instead of a result if the command failed. It has no `seq`, unlike events. */
export type ErrorLine = Failure & { type: 'error' };

interface NotLoaded extends Omit<AdapterProblem, 'from'> {
  /** Name in the configuration file. */
  adapter: string;
}

/** Native configuration as data, without the code that translates it. */
export interface ConfigSchemaDocument extends Omit<AgentConfigSchema, 'mcp' | 'env'> {
  mcp?: Omit<McpConfigFormat, 'encode' | 'decode'>;
  env?: readonly (Omit<ConfigEnv, 'reference'> & {
    /** Regular expression of a variable reference in a text. */
    reference?: string;
  })[];
}

interface ListedProfile {
  name: string;
  /** Merged options as used by a run; secrets are masked. */
  options: Readonly<Record<string, unknown>>;
  /** Files it is merged from, the user's first. */
  files: readonly { file: string; line: number }[];
}

interface FoundThere extends RemoteAgent {
  /** The target as given. */
  target: string;
  /** The install command that was run on the target. */
  installedBy?: string;
}
