import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** sshd needs its own absolute path, and is in folders that are not on every user's PATH. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin', '/opt/homebrew/sbin'];
const START_LIMIT_MS = 15_000;

/** The ssh server of the machine; undefined: none. */
export function findSshd(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return [...(env.PATH ?? '').split(delimiter), ...FOLDERS].map((folder) => join(folder, 'sshd')).find(isExecutable);
}

export interface Sshd {
  host: string;
  port: number;
  user: string;
  /** For the client: the key, and no question about an unknown host. */
  args: string[];
  /** The processes of its connections. */
  sessions(): number[];
  /** Cuts every connection, as a lost network would. */
  drop(): void;
  close(): Promise<void>;
}

/**
 * A real ssh server on loopback for the calling user, with its own key and configuration; removed by `close`. `env`:
 * variables of a command there.
 */
export async function startSshd(binary: string, env: Readonly<Record<string, string>> = {}): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-mux-sshd-'));
  const path = (name: string) => join(folder, name);
  const port = await freePort();
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'agent-mux-test', '-f', path(name)]);
  }
  writeFileSync(path('config'), configuration(port, path, env));
  // Required by sshd when it runs as root.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const server = spawn(binary, ['-D', '-e', '-f', path('config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  await answers(port, server, () => log);
  const sessions = () => descendants(server.pid ?? -1);
  return {
    host: '127.0.0.1',
    port,
    user: userInfo().username,
    args: [
      ...['-F', 'none', '-i', path('user'), '-o', 'IdentitiesOnly=yes'],
      ...['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${path('known')}`, '-o', 'LogLevel=ERROR'],
    ],
    sessions,
    drop: () => {
      for (const pid of sessions()) kill(pid);
    },
    close: async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      for (const pid of sessions()) kill(pid);
      if (server.exitCode === null && server.kill('SIGKILL')) await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(port: number, path: (name: string) => string, env: Readonly<Record<string, string>>): string {
  const variables = Object.entries(env).map(([name, value]) => `"${name}=${value}"`);
  return [
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${path('host')}`,
    `AuthorizedKeysFile ${path('user.pub')}`,
    `PidFile ${path('pid')}`,
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    // The folder above the key is shared: /tmp.
    'StrictModes no',
    'UsePAM no',
    'PrintMotd no',
    // The first line of this name counts, so all are in one.
    ...(variables.length > 0 ? [`SetEnv ${variables.join(' ')}`] : []),
    '',
  ].join('\n');
}

async function answers(port: number, server: ChildProcess, log: () => string): Promise<void> {
  const until = performance.now() + START_LIMIT_MS;
  while (performance.now() < until && server.exitCode === null) {
    if (await accepts(port)) return;
    await sleep(50);
  }
  server.kill('SIGKILL');
  throw new Error(`sshd did not start: ${log()}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** Only the sshd processes: the commands that they started must notice the loss on their own. */
function descendants(root: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, command = '']) => ({ pid: Number(pid), parent: Number(parent), command }));
  const below = (parent: number): number[] =>
    rows
      .filter((row) => row.parent === parent && row.command.includes('sshd'))
      .flatMap(({ pid }) => [pid, ...below(pid)]);
  return below(root);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
