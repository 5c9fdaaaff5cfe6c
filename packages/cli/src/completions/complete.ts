import { toOneLine } from '../screen/plain.ts';
import { candidatesFor, type Names } from './candidates.ts';

/** `amux complete -- WORDS...`, for the scripts of the shells: a candidate each line, behind a tab what it is. Never fails. */
export async function complete(args: readonly string[]): Promise<void> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const found = await candidatesFor(words, NAMES).catch(() => []);
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
    const { listToComplete } = await import('../daemon/complete.ts');
    return listToComplete();
  },
  async schedules() {
    const { schedulesToComplete } = await import('../schedules/complete.ts');
    return schedulesToComplete();
  },
  async targets() {
    const { targetsToComplete } = await import('../notify/complete.ts');
    return targetsToComplete();
  },
};
