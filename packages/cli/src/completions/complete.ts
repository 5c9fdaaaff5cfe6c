import { toOneLine } from '../screen/plain.ts';
import { candidatesFor, type Names } from './candidates.ts';

/** `amux complete -- ARGS...`, called by the completion scripts: one candidate per line, then a tab and its description. Never fails. */
export async function complete(args: readonly string[]): Promise<void> {
  const line = args[0] === '--' ? args.slice(1) : args;
  const found = await candidatesFor(line, NAMES).catch(() => []);
  process.stdout.write(
    found
      .map(({ word, about }) => `${toOneLine(word, 500)}\t${toOneLine(about, 100)}\n`.replace(/\t\n$/, '\n'))
      .join(''),
  );
}

const NAMES: Names = {
  async agents() {
    const { createConfiguredClient } = await import('@agent-mux/adapters/client');
    return createConfiguredClient()
      .adapters.list()
      .map(({ agent }) => agent);
  },
  async profiles() {
    const { loadConfig } = await import('@agent-mux/core');
    return Object.keys(loadConfig().profiles).sort();
  },
  async sessions() {
    const { completeSessions } = await import('../daemon/complete.ts');
    return completeSessions();
  },
  async schedules() {
    const { completeSchedules } = await import('../schedules/complete.ts');
    return completeSchedules();
  },
  async targets() {
    const { completeTargets } = await import('../notify/complete.ts');
    return completeTargets();
  },
};
