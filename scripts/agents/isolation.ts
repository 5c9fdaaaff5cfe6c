import { spawnSync } from 'node:child_process';

export interface Isolation {
  /** What stands before the command of a worker; empty: nothing could be done. */
  prefix: readonly string[];
  summary: string;
}

/** Brings up loopback in a new network namespace, where there is nothing else; python's ioctl where `ip` is missing. */
const LOOPBACK_UP = [
  'if command -v ip >/dev/null; then ip link set lo up;',
  `else python3 -c 'import fcntl,socket,struct; s=socket.socket(); fcntl.ioctl(s,0x8914,struct.pack("16sh14x",b"lo",0x49))'; fi`,
].join(' ');
// `exit` keeps the shell as the first process of the namespace: it reaps orphans, and all ends with it.
const RUN = `${LOOPBACK_UP} && "$@"; exit $?`;
const inside = (...unshare: string[]): string[] => ['unshare', ...unshare, 'sh', '-c', RUN, 'worker'];

const CANDIDATES: readonly Isolation[] = [
  {
    prefix: inside('--net', '--pid', '--fork', '--kill-child', '--mount-proc'),
    summary: 'each worker in a network and process namespace of its own, with only loopback up',
  },
  {
    prefix: inside('--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'),
    summary: 'each worker in a user, network and process namespace of its own, with only loopback up',
  },
  { prefix: inside('--net'), summary: 'each worker in a network namespace of its own, with only loopback up' },
];

const NONE: Isolation = {
  prefix: [],
  summary: 'no network namespace could be made here: the agents were pointed at loopback, but not kept to it',
};

/** The strongest separation from the network that this machine allows. */
export function findIsolation(): Isolation {
  if (process.platform !== 'linux') return NONE;
  const works = ({ prefix: [command, ...args] }: Isolation) =>
    spawnSync(command!, [...args, 'true'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
  return CANDIDATES.find(works) ?? NONE;
}
