import type { Command } from './command.ts';

/** The headings of `amux help`, in order. */
export const TOPICS = [
  'Work with agents',
  'Sessions that stay',
  'Agents on this machine',
  'What an agent has',
  'amux itself',
] as const;

interface Entry {
  topic: (typeof TOPICS)[number];
  summary: string;
  /** Only the command that is asked for is loaded: start-up time is part of the interface. */
  load(): Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, Entry>> = {
  run: {
    topic: 'Work with agents',
    summary: 'give an agent a prompt and watch it work',
    load: async () => (await import('./commands/run.ts')).run,
  },
  policy: {
    topic: 'Work with agents',
    summary: 'rules that answer what agents ask: list, add, test, remove, forget',
    load: async () => (await import('./commands/policy.ts')).policy,
  },
  profiles: {
    topic: 'Work with agents',
    summary: 'named presets for runs: list, show, set, delete',
    load: async () => (await import('./commands/profiles.ts')).profiles,
  },
  sessions: {
    topic: 'Work with agents',
    summary: 'the stored conversations of all agents: list, search, export, cost, watch',
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  new: {
    topic: 'Sessions that stay',
    summary: 'begin a session that stays, and go on with your work',
    load: async () => (await import('./commands/session/new.ts')).newSession,
  },
  ps: {
    topic: 'Sessions that stay',
    summary: 'what is at work, and what waits for you',
    load: async () => (await import('./commands/session/ps.ts')).ps,
  },
  attach: {
    topic: 'Sessions that stay',
    summary: 'watch a session and talk to it; leaving leaves it alone',
    load: async () => (await import('./commands/session/attach.ts')).attach,
  },
  show: {
    topic: 'Sessions that stay',
    summary: 'a session in detail',
    load: async () => (await import('./commands/session/show.ts')).show,
  },
  send: {
    topic: 'Sessions that stay',
    summary: 'say something to a session',
    load: async () => (await import('./commands/session/send.ts')).send,
  },
  inbox: {
    topic: 'Sessions that stay',
    summary: 'all that waits for you, whole, and how to answer',
    load: async () => (await import('./commands/session/inbox.ts')).inbox,
  },
  limits: {
    topic: 'Sessions that stay',
    summary: 'who waits for a limit or a budget, until when, and who goes on by itself',
    load: async () => (await import('./commands/session/limits.ts')).limits,
  },
  approve: {
    topic: 'Sessions that stay',
    summary: 'allow what an agent asks for',
    load: async () => (await import('./commands/session/approve.ts')).approve,
  },
  deny: {
    topic: 'Sessions that stay',
    summary: 'refuse it, and say why',
    load: async () => (await import('./commands/session/deny.ts')).deny,
  },
  answer: {
    topic: 'Sessions that stay',
    summary: 'answer a question of an agent',
    load: async () => (await import('./commands/session/answer.ts')).answer,
  },
  interrupt: {
    topic: 'Sessions that stay',
    summary: 'stop the turn that runs',
    load: async () => (await import('./commands/session/interrupt.ts')).interrupt,
  },
  stop: {
    topic: 'Sessions that stay',
    summary: 'end the process of a session; what was said stays',
    load: async () => (await import('./commands/session/stop.ts')).stop,
  },
  park: {
    topic: 'Sessions that stay',
    summary: 'free the process of a session; the next message brings it back',
    load: async () => (await import('./commands/session/park.ts')).park,
  },
  restore: {
    topic: 'Sessions that stay',
    summary: "bring back a session that has ended, or one of an agent's own",
    load: async () => (await import('./commands/session/restore.ts')).restore,
  },
  fork: {
    topic: 'Sessions that stay',
    summary: 'begin a session from a copy of another',
    load: async () => (await import('./commands/session/fork.ts')).fork,
  },
  rm: {
    topic: 'Sessions that stay',
    summary: 'remove sessions',
    load: async () => (await import('./commands/session/rm.ts')).rm,
  },
  events: {
    topic: 'Sessions that stay',
    summary: 'all that has happened in a session, for programs',
    load: async () => (await import('./commands/session/events.ts')).events,
  },
  schedule: {
    topic: 'Sessions that stay',
    summary: 'sessions that begin by themselves: add, list, show, pause, resume, run, rm',
    load: async () => (await import('./commands/daemon/schedule.ts')).schedule,
  },
  notify: {
    topic: 'Sessions that stay',
    summary: 'what you are told outside of amux: list, test',
    load: async () => (await import('./commands/daemon/notify.ts')).notify,
  },
  open: {
    topic: 'Sessions that stay',
    summary: 'the dashboard, in your browser',
    load: async () => (await import('./commands/daemon/open.ts')).open,
  },
  up: {
    topic: 'Sessions that stay',
    summary: 'start the daemon that keeps sessions',
    load: async () => (await import('./commands/daemon/up.ts')).up,
  },
  down: {
    topic: 'Sessions that stay',
    summary: 'end the daemon; agents work on',
    load: async () => (await import('./commands/daemon/down.ts')).down,
  },
  status: {
    topic: 'Sessions that stay',
    summary: 'whether the daemon runs, and where',
    load: async () => (await import('./commands/daemon/status.ts')).status,
  },
  logs: {
    topic: 'Sessions that stay',
    summary: 'what the daemon has written down',
    load: async () => (await import('./commands/daemon/logs.ts')).logs,
  },
  agents: {
    topic: 'Agents on this machine',
    summary: 'which agents there are, and which are installed',
    load: async () => (await import('./commands/agents.ts')).agents,
  },
  detect: {
    topic: 'Agents on this machine',
    summary: 'what is known of an agent on this machine',
    load: async () => (await import('./commands/detect.ts')).detect,
  },
  install: {
    topic: 'Agents on this machine',
    summary: 'put an agent on this machine',
    load: async () => (await import('./commands/install.ts')).install,
  },
  update: {
    topic: 'Agents on this machine',
    summary: 'bring an agent to its newest version',
    load: async () => (await import('./commands/update.ts')).update,
  },
  uninstall: {
    topic: 'Agents on this machine',
    summary: 'take an agent off this machine',
    load: async () => (await import('./commands/uninstall.ts')).uninstall,
  },
  doctor: {
    topic: 'Agents on this machine',
    summary: 'what is wrong here, and what helps',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  'detect-host': {
    topic: 'Agents on this machine',
    summary: 'which agent this shell runs inside of',
    load: async () => (await import('./commands/detect-host.ts')).detectHost,
  },
  capabilities: {
    topic: 'What an agent has',
    summary: 'what each agent can do, as a table',
    load: async () => (await import('./commands/capabilities.ts')).capabilities,
  },
  auth: {
    topic: 'What an agent has',
    summary: 'who is logged in where, and how to log in',
    load: async () => (await import('./commands/auth.ts')).auth,
  },
  models: {
    topic: 'What an agent has',
    summary: 'which models each agent offers, with prices',
    load: async () => (await import('./commands/models.ts')).models,
  },
  quota: {
    topic: 'What an agent has',
    summary: 'how much of its limits each agent has used, and when they are lifted',
    load: async () => (await import('./commands/quota.ts')).quota,
  },
  config: {
    topic: 'What an agent has',
    summary: "an agent's own configuration files: get, set, unset, validate",
    load: async () => (await import('./commands/config.ts')).config,
  },
  mcp: {
    topic: 'What an agent has',
    summary: 'MCP servers of every agent: list, add, remove',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  plugins: {
    topic: 'What an agent has',
    summary: "an agent's plugins: list, install, uninstall, search",
    load: async () => (await import('./commands/plugins.ts')).plugins,
  },
  hooks: {
    topic: 'What an agent has',
    summary: 'what an agent that you start by hand tells: install, uninstall, status',
    load: async () => (await import('./commands/hooks.ts')).hooks,
  },
  skills: {
    topic: 'What an agent has',
    summary: 'skills and sub-agents of every agent: list, add, remove',
    load: async () => (await import('./commands/skills.ts')).skills,
  },
  verify: {
    topic: 'Agents on this machine',
    summary: 'prove an adapter against the CLI that is installed here, offline',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  remote: {
    topic: 'Agents on this machine',
    summary: 'install or check an agent on another host, in an image or a pod',
    load: async () => (await import('./commands/remote.ts')).remote,
  },
  demo: {
    topic: 'Work with agents',
    summary: 'see a whole run in a minute, without account or install',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  completions: {
    topic: 'amux itself',
    summary: 'completion of commands, flags, agents and profiles for bash, zsh and fish',
    load: async () => (await import('./commands/completions.ts')).completions,
  },
};
