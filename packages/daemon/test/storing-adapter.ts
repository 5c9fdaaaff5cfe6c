import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BaseAgentAdapter, NO_CAPABILITIES, type Session } from '@agent-mux/core';

/** An agent without hooks whose screen stores a session, as a file of JSON in this folder, and can go on with one. */
class StoringAgent extends BaseAgentAdapter {
  override readonly agent = 'storing';
  override readonly displayName = 'Storing';
  override readonly cliCommand = 'storing-agent';
  override readonly capabilities = NO_CAPABILITIES;
  override readonly terminal = {
    resume: (id: string) => [`--resume=${id}`],
    approvalModes: { prompt: ['--ask'], yolo: ['--free'] },
  };
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
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

export default function makeStoringAgent({ folder }: { folder: string }): StoringAgent {
  return new StoringAgent(folder);
}
