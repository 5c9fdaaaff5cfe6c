import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BaseAgentAdapter, type HookSpec, NO_CAPABILITIES, type Session } from '@agent-mux/core';

/** Hooks that replace the agent's own configuration. */
const HOOKS: HookSpec = {
  events: [{ name: 'Stop' }],
  file: { shape: 'toml-groups', path: 'hooks.toml', under: ['hooks'] },
  read: () => ({}),
  forRun: (_, scratchDir) => ({ env: { STORING_HOME: scratchDir } }),
};

/**
 * An agent without hooks, unless enabled. Its terminal stores sessions as JSON files in a folder and can resume one.
 */
class StoringAgent extends BaseAgentAdapter {
  override readonly agent = 'storing';
  override readonly displayName = 'Storing';
  override readonly cliCommand = 'storing-agent';
  override readonly capabilities = NO_CAPABILITIES;
  override readonly terminal = {
    resume: (id: string) => [`--resume=${id}`],
    approvalModes: { prompt: ['--ask'], yolo: ['--free'] },
  };
  override readonly envAllowList = ['STORING_HOME'];
  override readonly hooks?: HookSpec;
  readonly #folder: string;

  constructor({ folder, isHooked = false }: StoringOptions) {
    super();
    this.#folder = folder;
    if (isHooked) this.hooks = HOOKS;
  }

  override buildSpawnArgs({ cwd }: { cwd: string }) {
    return { command: 'storing-agent', args: [], env: {}, cwd, usePty: false };
  }

  override parseEvent() {
    return null;
  }

  override async listSessionFiles(): Promise<string[]> {
    return (await readdir(this.#folder).catch(() => [])).map((name) => join(this.#folder, name));
  }

  override async parseSessionFile(path: string): Promise<Session> {
    return { agent: 'storing', messages: [{ role: 'user', text: 'hello' }], ...JSON.parse(readFileSync(path, 'utf8')) };
  }
}

interface StoringOptions {
  folder: string;
  isHooked?: boolean;
}

export default function createStoringAgent(options: StoringOptions): StoringAgent {
  return new StoringAgent(options);
}
