import type { Command } from './command.ts';

interface Entry {
  summary: string;
  /** Only the command that is asked for is loaded: start-up time is part of the interface. */
  load(): Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, Entry>> = {
  run: {
    summary: 'give an agent a prompt and watch it work',
    load: async () => (await import('./commands/run.ts')).run,
  },
  agents: {
    summary: 'which agents there are, and which are installed',
    load: async () => (await import('./commands/agents.ts')).agents,
  },
  detect: {
    summary: 'what is known of an agent on this machine',
    load: async () => (await import('./commands/detect.ts')).detect,
  },
  capabilities: {
    summary: 'what each agent can do, as a table',
    load: async () => (await import('./commands/capabilities.ts')).capabilities,
  },
  verify: {
    summary: 'prove an adapter against the CLI that is installed here, offline',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  remote: {
    summary: 'install or check an agent on another host, in an image or a pod',
    load: async () => (await import('./commands/remote.ts')).remote,
  },
  demo: {
    summary: 'see a whole run in a minute, without account or install',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
};
