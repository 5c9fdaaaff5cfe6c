import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { BOOT, toLine } from './remote/preamble.ts';
import { LAUNCH_VARIABLE, type ProcessOrigin } from './terminate.ts';

/**
 * A process killed with SIGKILL cannot end its children. So the first launch starts a small shell (the reaper) in its
 * own session, which waits for the end of its input: that is the end of this process. The reaper then ends or removes
 * everything that was registered and not released. On Windows the system does this for every child (job objects).
 */
let reaper: ChildProcess | undefined;

/** Unique to this process; prefix of the mark of every launch, so that the reaper also finds unregistered ones. */
let hostToken: string | undefined;
/** Registered entries by number, as sent to the reaper. */
const entries = new Map<number, string>();
let counter = 0;

export interface ReaperEntry {
  /** The value of `LAUNCH_VARIABLE` for the process and its descendants. */
  mark: string;
  started(pid: number, origin: ProcessOrigin | undefined): void;
  /** Call when the whole process tree is gone. */
  over(): void;
}

/** Call before the process is started, so that it is covered at any moment. */
export function registerLaunch(runId: string): ReaperEntry {
  const number = register('l 0 0 -');
  return {
    mark: `${getHostToken()}.${number}.${runId}`,
    started: (pid, origin) => send(number, `l ${pid} ${origin?.startTime ?? 0} ${origin?.streams.join(' ') ?? '-'}`),
    over: () => forget(number),
  };
}

/** Removes the folder with this process, unless it is gone already. Returns a function that releases it. */
export function registerFolder(path: string): () => void {
  // Entries are lines; a TMPDIR with line breaks is not cleaned up.
  if (/[\r\n\0]/.test(path)) return () => {};
  const number = register(`f ${path}`);
  return () => forget(number);
}

function register(what: string): number {
  counter += 1;
  send(counter, what);
  return counter;
}

function send(number: number, what: string): void {
  entries.set(number, what);
  if (process.platform === 'win32') return;
  const input = reaper?.stdin;
  if (input?.writable) input.write(`${number} ${what}\n`);
  else startReaper();
}

function forget(number: number): void {
  if (entries.delete(number) && reaper?.stdin?.writable) reaper.stdin.write(`${number}\n`);
}

/** Also starts a new reaper after the last one was killed, and sends it all entries again. */
function startReaper(): void {
  try {
    const child = spawn('/bin/sh', ['-c', BOOT, 'agent-mux-reaper'], {
      cwd: '/',
      env: { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // Without a shell, a process or a descriptor to spare none is started; the agents run anyway.
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.unref();
    if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
    child.stdin.write(toLine(reaperScript()));
    for (const [number, what] of entries) child.stdin.write(`${number} ${what}\n`);
    reaper = child;
  } catch {
    reaper = undefined;
  }
}

/**
 * Rows of all processes are `pid parent group start`; only Linux has comparable start times. A launch contains the same
 * processes as in `terminate.ts`: the leader, its group, its descendants, carriers of the mark, and holders of one of
 * its streams that are younger than it.
 */
const reaperScript = () => `trap '' HUP INT TERM QUIT
while IFS=' ' read -r n what; do
  if [ -n "$what" ]; then eval "t_$n=\\$what"; else unset "t_$n"; fi
done
numbers=$(set | sed -n 's/^t_\\([0-9][0-9]*\\)=.*/\\1/p')
[ -n "$numbers" ] || exit 0
list() { for n in $numbers; do eval "what=\\$t_$n"; case $what in "$1 "*) printf '%s\\n' "\${what#? }" ;; esac; done; }
rows() {
  if [ -r /proc/self/stat ]; then
    cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\\([0-9]*\\) (.*) [^ZX] \\([0-9]*\\) \\([0-9]*\\) \\(.*\\)$/\\1 \\2 \\3 \\4/p' |
      awk '{ print "row", $1, $2, $3, $20 }'
  else
    ps -A -o pid=,ppid=,pgid=,stat= | awk '$4 !~ /^Z/ { print "row", $1, $2, $3, 0 }'
  fi
}
marked() { grep -lsF '${LAUNCH_VARIABLE}=${getHostToken()}.' /proc/[0-9]*/environ 2>/dev/null | sed 's/[^0-9]//g; s/^/mark /'; }
holders() {
  ls -l /proc/[0-9]*/fd 2>/dev/null | awk '
    /^\\/proc\\// { split($1, path, "/"); pid = path[3]; next }
    $NF ~ /^(pipe|socket):/ { print "holds", pid, $NF }'
}
family() {
  { list l | sed 's/^/leader /'; marked; holders; rows; } | awk -v self="$$" '
    $1 == "leader" && $2 > 0 { leader[$2] = $3; for (i = 4; i <= NF; i++) if ($i != "-") stream[$i] = $3 }
    $1 == "mark" { mine[$2] = 1 }
    $1 == "holds" && ($3 in stream) { since[$2] = stream[$3] }
    $1 == "row" { parent[$2] = $3; group[$2] = $4; start[$2] = $5 }
    END {
      for (pid in leader) if ((pid in start) && leader[pid] != 0 && start[pid] != leader[pid]) delete leader[pid]
      for (pid in parent) if ((pid in leader) || (group[pid] in leader)) mine[pid] = 1
      for (pid in since) if (start[pid] + 0 >= since[pid] + 0) mine[pid] = 1
      do { more = 0; for (pid in parent) if (!(pid in mine) && (parent[pid] in mine)) { mine[pid] = 1; more = 1 } } while (more)
      for (pid in mine) if ((pid in parent) && pid != self && parent[pid] != self) print pid
    }'
}
wait_for_end() { i=0; while [ $i -lt "$1" ] && [ -n "$(family)" ]; do sleep 0.1 2>/dev/null || sleep 1; i=$((i + 1)); done; }
for p in $(family); do kill -s TERM "$p" 2>/dev/null; done
wait_for_end 10
k=0
while [ $k -lt 20 ]; do
  rest=$(family)
  [ -n "$rest" ] || break
  for p in $rest; do kill -s KILL "$p" 2>/dev/null; done
  wait_for_end 2
  k=$((k + 1))
done
list f | while IFS= read -r d; do rm -rf -- "$d"; done`;

/** The mark of every launch of this process. Created on first use: most commands need none. */
export function getHostToken(): string {
  hostToken ??= randomBytes(16).toString('hex');
  return hostToken;
}
