import { spawnSync } from 'node:child_process';

export interface Isolation {
  /** Command prefix of a worker; empty: no isolation is available. */
  prefix: readonly string[];
  summary: string;
}

/** Brings up loopback in a new network namespace, with python's ioctl if `ip` is missing. */
const LOOPBACK_UP = [
  'if command -v ip >/dev/null; then ip link set lo up;',
  `else python3 -c 'import fcntl,socket,struct; s=socket.socket(); fcntl.ioctl(s,0x8914,struct.pack("16sh14x",b"lo",0x49))'; fi`,
].join(' ');
// `exit` keeps the shell as the first process of the namespace: it reaps orphans, and all processes end with it.
const RUN = `${LOOPBACK_UP} && "$@"; exit $?`;
const inside = (...unshare: string[]): string[] => ['unshare', ...unshare, 'sh', '-c', RUN, 'worker'];

const CANDIDATES: readonly Isolation[] = [
  {
    prefix: inside('--net', '--pid', '--fork', '--kill-child', '--mount-proc'),
    summary: 'each worker in a separate network and process namespace, with only loopback up',
  },
  {
    prefix: inside('--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'),
    summary: 'each worker in a separate user, network and process namespace, with only loopback up',
  },
  { prefix: inside('--net'), summary: 'each worker in a separate network namespace, with only loopback up' },
];

const NONE: Isolation = {
  prefix: [],
  summary: 'cannot create a network namespace: the agents use loopback, but other access is not blocked',
};

/** The strongest separation from the network that this machine allows. */
export function findIsolation(): Isolation {
  if (process.platform !== 'linux') return NONE;
  const works = ({ prefix: [command, ...args] }: Isolation) =>
    spawnSync(command!, [...args, 'true'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
  return CANDIDATES.find(works) ?? NONE;
}
