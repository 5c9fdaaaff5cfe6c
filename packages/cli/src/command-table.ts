import type { Command } from './command.ts';

/** Headings of `amux help`, in order. */
export const COMMAND_GROUPS = [
  'Run agents',
  'Background sessions',
  'Daemon',
  'Manage agents',
  'Configure agents',
  'Other',
] as const;

interface Entry {
  group: (typeof COMMAND_GROUPS)[number];
  /** Starts with a verb; at most 60 characters. */
  summary: string;
  /** Loads only the requested command to keep startup fast. */
  load(): Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, Entry>> = {
  run: {
    group: 'Run agents',
    summary: 'Run an agent with a prompt',
    load: async () => (await import('./commands/run.ts')).run,
  },
  demo: {
    group: 'Run agents',
    summary: 'Run the built-in demo agent; no account needed',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  sessions: {
    group: 'Run agents',
    summary: 'List, search, export and delete stored agent sessions',
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  profiles: {
    group: 'Run agents',
    summary: 'Manage run profiles (named sets of run options)',
    load: async () => (await import('./commands/profiles.ts')).profiles,
  },
  policy: {
    group: 'Run agents',
    summary: 'Manage the rules that answer approval requests',
    load: async () => (await import('./commands/policy.ts')).policy,
  },
  new: {
    group: 'Background sessions',
    summary: 'Start a background session',
    load: async () => (await import('./commands/session/new.ts')).newSession,
  },
  ps: {
    group: 'Background sessions',
    summary: 'List sessions',
    load: async () => (await import('./commands/session/ps.ts')).ps,
  },
  attach: {
    group: 'Background sessions',
    summary: 'Attach to a session; detach without stopping it',
    load: async () => (await import('./commands/session/attach.ts')).attach,
  },
  show: {
    group: 'Background sessions',
    summary: 'Show details of a session',
    load: async () => (await import('./commands/session/show.ts')).show,
  },
  send: {
    group: 'Background sessions',
    summary: 'Send a message to a session',
    load: async () => (await import('./commands/session/send.ts')).send,
  },
  inbox: {
    group: 'Background sessions',
    summary: 'List open requests, limits and failures of all sessions',
    load: async () => (await import('./commands/session/inbox.ts')).inbox,
  },
  approve: {
    group: 'Background sessions',
    summary: 'Approve a request',
    load: async () => (await import('./commands/session/approve.ts')).approve,
  },
  deny: {
    group: 'Background sessions',
    summary: 'Deny a request',
    load: async () => (await import('./commands/session/deny.ts')).deny,
  },
  answer: {
    group: 'Background sessions',
    summary: 'Answer a question',
    load: async () => (await import('./commands/session/answer.ts')).answer,
  },
  interrupt: {
    group: 'Background sessions',
    summary: 'Interrupt the current turn',
    load: async () => (await import('./commands/session/interrupt.ts')).interrupt,
  },
  stop: {
    group: 'Background sessions',
    summary: "Stop a session's process; keep its history",
    load: async () => (await import('./commands/session/stop.ts')).stop,
  },
  park: {
    group: 'Background sessions',
    summary: "Free a session's process until the next message",
    load: async () => (await import('./commands/session/park.ts')).park,
  },
  restore: {
    group: 'Background sessions',
    summary: 'Restore an ended session, or import one from an agent',
    load: async () => (await import('./commands/session/restore.ts')).restore,
  },
  fork: {
    group: 'Background sessions',
    summary: 'Start a session from a copy of another',
    load: async () => (await import('./commands/session/fork.ts')).fork,
  },
  rm: {
    group: 'Background sessions',
    summary: 'Remove sessions',
    load: async () => (await import('./commands/session/rm.ts')).rm,
  },
  events: {
    group: 'Background sessions',
    summary: 'Print the events of a session',
    load: async () => (await import('./commands/session/events.ts')).events,
  },
  limits: {
    group: 'Background sessions',
    summary: 'Manage sessions paused by usage limits and budgets',
    load: async () => (await import('./commands/session/limits.ts')).limits,
  },
  schedule: {
    group: 'Background sessions',
    summary: 'Start sessions on a cron schedule',
    load: async () => (await import('./commands/daemon/schedule.ts')).schedule,
  },
  notify: {
    group: 'Background sessions',
    summary: 'List and test notification targets',
    load: async () => (await import('./commands/daemon/notify.ts')).notify,
  },
  up: {
    group: 'Daemon',
    summary: 'Start the daemon',
    load: async () => (await import('./commands/daemon/up.ts')).up,
  },
  down: {
    group: 'Daemon',
    summary: 'Stop the daemon; sessions keep running',
    load: async () => (await import('./commands/daemon/down.ts')).down,
  },
  status: {
    group: 'Daemon',
    summary: 'Show whether the daemon is running',
    load: async () => (await import('./commands/daemon/status.ts')).status,
  },
  logs: {
    group: 'Daemon',
    summary: 'Print the daemon log',
    load: async () => (await import('./commands/daemon/logs.ts')).logs,
  },
  open: {
    group: 'Daemon',
    summary: 'Open the dashboard in a browser',
    load: async () => (await import('./commands/daemon/open.ts')).open,
  },
  agents: {
    group: 'Manage agents',
    summary: 'List agents and whether they are installed',
    load: async () => (await import('./commands/agents.ts')).agents,
  },
  detect: {
    group: 'Manage agents',
    summary: "Show an agent's path, version, login and model",
    load: async () => (await import('./commands/detect.ts')).detect,
  },
  install: {
    group: 'Manage agents',
    summary: 'Install an agent',
    load: async () => (await import('./commands/install.ts')).install,
  },
  update: {
    group: 'Manage agents',
    summary: 'Update an agent',
    load: async () => (await import('./commands/update.ts')).update,
  },
  uninstall: {
    group: 'Manage agents',
    summary: 'Uninstall an agent',
    load: async () => (await import('./commands/uninstall.ts')).uninstall,
  },
  remote: {
    group: 'Manage agents',
    summary: 'Install or check an agent on a host or in a container',
    load: async () => (await import('./commands/remote.ts')).remote,
  },
  verify: {
    group: 'Manage agents',
    summary: 'Verify adapters against the installed CLIs, offline',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  doctor: {
    group: 'Manage agents',
    summary: 'Find problems and suggest fixes',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  'detect-host': {
    group: 'Manage agents',
    summary: 'Print the agent this shell runs in',
    load: async () => (await import('./commands/detect-host.ts')).detectHost,
  },
  auth: {
    group: 'Configure agents',
    summary: 'Show login status and how to log in',
    load: async () => (await import('./commands/auth.ts')).auth,
  },
  models: {
    group: 'Configure agents',
    summary: 'List models and prices',
    load: async () => (await import('./commands/models.ts')).models,
  },
  capabilities: {
    group: 'Configure agents',
    summary: 'Compare what agents support',
    load: async () => (await import('./commands/capabilities.ts')).capabilities,
  },
  quota: {
    group: 'Configure agents',
    summary: 'Show usage of rate limits',
    load: async () => (await import('./commands/quota.ts')).quota,
  },
  config: {
    group: 'Configure agents',
    summary: "Read and edit an agent's configuration files",
    load: async () => (await import('./commands/config.ts')).config,
  },
  mcp: {
    group: 'Configure agents',
    summary: 'Manage MCP servers',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  plugins: {
    group: 'Configure agents',
    summary: 'Manage plugins',
    load: async () => (await import('./commands/plugins.ts')).plugins,
  },
  skills: {
    group: 'Configure agents',
    summary: 'Manage skills and subagents',
    load: async () => (await import('./commands/skills.ts')).skills,
  },
  hooks: {
    group: 'Configure agents',
    summary: 'Install hooks that report unmanaged sessions',
    load: async () => (await import('./commands/hooks.ts')).hooks,
  },
  completion: {
    group: 'Other',
    summary: 'Generate shell completion scripts',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
};
