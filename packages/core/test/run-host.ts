import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface HostOptions {
  /** Flags of node. */
  node?: readonly string[];
  /** Maximum number of open descriptors. */
  descriptors?: number;
  env?: Readonly<Record<string, string>>;
}

export interface HostEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Runs a program of `test/hosts/` in a separate process, which the test may end. */
export function startHost(name: string, args: readonly string[] = [], options: HostOptions = {}) {
  const path = fileURLToPath(new URL(`./hosts/${name}`, import.meta.url));
  const flags = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', ...(options.node ?? [])];
  const limit = options.descriptors === undefined ? '' : `ulimit -n ${options.descriptors}; `;
  const argv = ['-c', `${limit}exec "$0" "$@"`, process.execPath, ...flags, path, ...args];
  const child: ChildProcess = spawn('sh', argv, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  const end: HostEnd = { code: null, signal: null, stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (end.stdout += chunk));
  child.stderr?.on('data', (chunk) => (end.stderr += chunk));
  const finished = new Promise<HostEnd>((resolve) => {
    child.on('close', (code, signal) => resolve({ ...end, code, signal }));
  });
  return { child, finished };
}

/** Parses its output, which is one JSON value. Throws with its stderr if it failed. */
export async function runHost(name: string, args: readonly string[] = [], options: HostOptions = {}): Promise<unknown> {
  const { code, signal, stdout, stderr } = await startHost(name, args, options).finished;
  if (code !== 0) throw new Error(`${name} ended with ${signal ?? code}: ${stderr}`);
  return JSON.parse(stdout);
}
