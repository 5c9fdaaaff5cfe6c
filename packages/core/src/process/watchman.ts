import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { BOOT, toLine } from './place/preamble.ts';
import { LAUNCH_VARIABLE, type Origin } from './terminate.ts';

/**
 * A process that is killed with -9 ends nothing that it has started. So the first launch starts a small shell beside it, in
 * a session of its own, that does nothing but wait for the end of its input: that end is this process's. What was told to
 * it and not taken back is then ended or removed by it. On Windows the system does the same for every child (job objects).
 */
let watchman: ChildProcess | undefined;

/** Of this process alone; begins the mark of every launch, so that the watchman finds those of which it was told nothing yet. */
let hostToken: string | undefined;
/** What is alive now, as it is told, by numbers. */
const told = new Map<number, string>();
let counter = 0;

export interface WatchedLaunch {
  /** The value of `LAUNCH_VARIABLE` for the process and all that it starts. */
  mark: string;
  started(pid: number, origin: Origin | undefined): void;
  /** Nothing of it lives. */
  over(): void;
}

/** Called before the process is started, so that there is no moment in which it would be left behind. */
export function watchLaunch(runId: string): WatchedLaunch {
  const number = register('l 0 0 -');
  return {
    mark: `${hostMark()}.${number}.${runId}`,
    started: (pid, origin) => tell(number, `l ${pid} ${origin?.startTime ?? 0} ${origin?.streams.join(' ') ?? '-'}`),
    over: () => forget(number),
  };
}

/** The folder goes with this process, if it has not gone before. Returns what takes that back. */
export function watchFolder(path: string): () => void {
  // A line is a line; such a TMPDIR is left to whoever has set it.
  if (/[\r\n\0]/.test(path)) return () => {};
  const number = register(`f ${path}`);
  return () => forget(number);
}

function register(what: string): number {
  counter += 1;
  tell(counter, what);
  return counter;
}

function tell(number: number, what: string): void {
  told.set(number, what);
  if (process.platform === 'win32') return;
  const input = watchman?.stdin;
  if (input?.writable) input.write(`${number} ${what}\n`);
  else begin();
}

function forget(number: number): void {
  if (told.delete(number) && watchman?.stdin?.writable) watchman.stdin.write(`${number}\n`);
}

/** Also when the last one has been ended by somebody: then it is told everything again. */
function begin(): void {
  try {
    const child = spawn('/bin/sh', ['-c', BOOT, 'agent-mux-watchman'], {
      cwd: '/',
      env: { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // Without a shell, a process or a descriptor to spare there is none: the agents run all the same.
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.unref();
    if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
    child.stdin.write(toLine(watchScript()));
    for (const [number, what] of told) child.stdin.write(`${number} ${what}\n`);
    watchman = child;
  } catch {
    watchman = undefined;
  }
}

/**
 * Rows of all processes are `pid parent group start`; outside of Linux there is no start time that could be compared. Who
 * belongs to a launch is the same as in `terminate.ts`: the leader, its group, its descendants, whoever carries the mark,
 * whoever holds a stream of it and is younger than it.
 */
const watchScript = () => `trap '' HUP INT TERM QUIT
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
marked() { grep -lsF '${LAUNCH_VARIABLE}=${hostMark()}.' /proc/[0-9]*/environ 2>/dev/null | sed 's/[^0-9]//g; s/^/mark /'; }
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

/** With which every launch of this process is marked. Made when it is asked for: most commands have none. */
export function hostMark(): string {
  hostToken ??= randomBytes(16).toString('hex');
  return hostToken;
}
