import { spawn } from 'node:child_process';
import type { CleanUp } from './link.ts';

/** The place may be out of reach, which is why it is cleaned up in the first place: nobody waits longer. */
const CLEAN_UP_LIMIT_MS = 8000;

/** Never rejects: a place that cannot be reached ends what was started there when it loses sight of us. */
export function cleanUpPlace({ command, args, stdin }: CleanUp, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['pipe', 'ignore', 'ignore'], windowsHide: true });
    const timer = setTimeout(() => child.kill('SIGKILL'), CLEAN_UP_LIMIT_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    child.on('error', done);
    child.on('close', done);
    child.stdin.on('error', () => {});
    child.stdin.end(stdin ?? '');
  });
}
