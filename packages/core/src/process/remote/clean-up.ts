import { spawn } from 'node:child_process';
import type { CleanUp } from './link.ts';

/** The host may be unreachable, which is often why a cleanup is needed: the wait is limited. */
const CLEAN_UP_LIMIT_MS = 8000;

/** Never rejects: an unreachable host ends what was started there when it loses the connection. */
export function cleanUpRemote({ command, args, stdin }: CleanUp, env: NodeJS.ProcessEnv): Promise<void> {
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
