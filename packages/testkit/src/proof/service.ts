import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ProofService } from './agent-proof.ts';

const START_LIMIT_MS = 180_000;

export interface RunningService {
  url: string;
  stop(): Promise<void>;
}

/** Starts what a user would have started beforehand, and waits until it says where it listens. */
export async function startService(
  service: ProofService,
  env: Record<string, string>,
  cwd: string,
): Promise<RunningService> {
  const child = spawn(service.command, service.args, {
    cwd,
    env: { ...env, ...service.env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGTERM');
    await gone;
  };
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${service.command} did not say where it listens`)),
      START_LIMIT_MS,
    );
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${service.command} ended with code ${code} at its start`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = service.readUrl(line);
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
  return { url, stop };
}
