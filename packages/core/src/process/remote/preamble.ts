import { shellCommand, shellQuote } from '../shell-quote.ts';
import { LAUNCH_VARIABLE } from '../terminate.ts';

/**
 * The whole remote command line, whatever runs there: it reads one line and evaluates it. So no arguments, variables or
 * files of the agent are visible to other users of either machine. It contains no quote and no `!`, so that any login
 * shell passes it unchanged.
 */
export const BOOT = 'IFS= read -r s && eval "$(printf %b "$s")"';

/** What to run remotely. */
export interface RemoteLaunch {
  /** Unique to this launch and unguessable. */
  token: string;
  /** A folder for its files; created and removed there. */
  folder: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Undefined for the default one. A leading `~` is the remote user's home. */
  cwd?: string;
  /** By paths below the folder. */
  files?: Readonly<Record<string, string>>;
  /** All input of the agent. Undefined if lines keep coming. */
  stdin?: string | undefined;
}

/**
 * Finds and ends the processes of the launch. `$t` is its token, `$d` its folder. The agent leads its own group if
 * `setsid` exists; its pid is in the folder.
 */
const PROCESS_TREE = `
members() { grep -lsF "${LAUNCH_VARIABLE}=$t" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n'; }
leader() { cat "$d/pid" 2>/dev/null; }
living() { [ -n "$(members)" ] || { p=$(leader) && [ -n "$p" ] && kill -0 "$p" 2>/dev/null; }; }
signal() {
  p=$(leader)
  if [ -n "$p" ]; then kill -s "$1" -- "-$p" 2>/dev/null || kill -s "$1" "$p" 2>/dev/null; fi
  [ "$1" = INT ] || for m in $(members); do kill -s "$1" "$m" 2>/dev/null; done
}
stop_tree() {
  signal TERM
  i=0
  while [ $i -lt 20 ] && living; do sleep 0.1 2>/dev/null || sleep 1; i=$((i + 1)); done
  i=0
  while [ $i -lt 20 ] && living; do signal KILL; sleep 0.1 2>/dev/null || sleep 1; i=$((i + 1)); done
}`;

/** Non-login shells of many machines do not search the folders of user-level installers. */
const MORE_PATH = 'PATH=$PATH:$HOME/.local/bin:$HOME/bin:/usr/local/bin; export PATH';

/**
 * The connection's stdin is the lifeline: lines for the agent, signals in between (`RemoteSignal`), and its end means
 * that no one listens any more. A separate process reads it, so that an agent that does not read cannot hide the end.
 * Reports go to stderr.
 */
export function writeLaunchScript(launch: RemoteLaunch): string {
  const { token, folder, argv, env, cwd, files = {}, stdin } = launch;
  const hasInput = stdin !== undefined;
  return `exec 3<&0 </dev/null
t=${shellQuote(token)} d=${shellQuote(folder)}
trap : INT TERM HUP
${MORE_PATH}
${PROCESS_TREE}
say() { printf '\\n%s %s\\n' "$t" "$*" >&2; }
give_up() { rm -rf "$d"; say "refused $*"; exit 1; }
( umask 077 && mkdir "$d" && mkfifo "$d/in"${writeFileCommands(files)} ) || give_up scratch
${cwd === undefined ? ':' : `cd ${remotePath(cwd)} || give_up folder`}
( ${writeExports(env)}command -v ${shellQuote(argv[0] ?? '')} >/dev/null 2>&1 ) || give_up missing
say here
${hasInput ? `{ trap '' PIPE; printf %s ${shellQuote(stdin)} >"$d/in"; } >/dev/null 2>&1 &\nf=$!` : 'f='}
{
  trap '' PIPE
  ${hasInput ? '' : 'exec 4>"$d/in"'}
  while IFS= read -r l <&3; do
    case $l in
      "$t int") signal INT ;;
      "$t eof") ${hasInput ? ':' : 'exec 4>&-'} ;;
      "$t end") break ;;
      *) ${hasInput ? ':' : `printf '%s\\n' "$l" >&4`} ;;
    esac
  done
  exec 4>&-
  stop_tree
  rm -rf "$d"
} >/dev/null 2>&1 &
w=$!
(
  ${writeExports({ ...env, [LAUNCH_VARIABLE]: token })}
  exec $(command -v setsid) sh -c 'echo $$ >"$0/pid"; exec "$@"' "$d" ${argv.map(shellQuote).join(' ')}
) <"$d/in" 3<&-
code=$?
rm -f "$d/pid"
[ -z "$(members)" ] || stop_tree
kill -s KILL $w $f 2>/dev/null
rm -rf "$d"
say "end $code"
exit $code`;
}

/** For a second connection: ends what the first one started, if it still runs. */
export function writeStopScript({ token, folder }: Pick<RemoteLaunch, 'token' | 'folder'>): string {
  return `t=${shellQuote(token)} d=${shellQuote(folder)}\n${PROCESS_TREE}\nstop_family\nrm -rf "$d"`;
}

/** Encodes the script as the one line that `BOOT` reads. */
export function toLine(script: string): string {
  return `${script.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`;
}

function writeExports(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${shellQuote(value)}; export ${name}; `)
    .join('');
}

function writeFileCommands(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .map(([name, content]) => {
      const path = `"$d"/${shellQuote(name)}`;
      const parent = name.includes('/') ? ` && mkdir -p "$d"/${shellQuote(name.slice(0, name.lastIndexOf('/')))}` : '';
      return `${parent} && printf %s ${shellQuote(content)} >${path}`;
    })
    .join('');
}

/** A leading `~` is the remote user's home, which only the remote shell knows. */
function remotePath(path: string): string {
  if (path === '~') return '"$HOME"';
  return path.startsWith('~/')
    ? `"$HOME"/${shellQuote(path.slice(2))}`
    : shellQuote(path.startsWith('-') ? `./${path}` : path);
}

/** `sh -c BOOT` for a client that takes arguments. */
export const BOOT_ARGS: readonly string[] = ['sh', '-c', BOOT];
/** The same for a client that passes one string to the login shell. */
export const BOOT_COMMAND: string = `exec ${shellCommand(BOOT_ARGS)}`;
