import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { VerifyService } from './agent-setup.ts';

const START_LIMIT_MS = 180_000;

export interface RunningService {
  url: string;
  stop(): Promise<void>;
}

/** Starts a server like a user would have done beforehand, and waits until it reports its address. */
export async function startService(
  service: VerifyService,
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
