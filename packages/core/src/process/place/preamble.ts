import { shellCommand, shellQuote } from '../shell-quote.ts';
import { LAUNCH_VARIABLE } from '../terminate.ts';

/**
 * The whole command line of another place, whatever is run there: it reads one line and does what that says. So neither
 * arguments nor variables nor files of the agent stand where every user of either machine could read them. No quote and
 * no `!` within, so that any login shell passes it on as it is.
 */
export const BOOT = 'IFS= read -r s && eval "$(printf %b "$s")"';

/** What is to be run there. */
export interface Launch {
  /** Of this launch alone, not to be guessed. */
  token: string;
  /** A folder for its files; made and removed there. */
  folder: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Undefined: the place's own. A leading `~` is the home of the user there. */
  cwd?: string;
  /** By paths below the folder. */
  files?: Readonly<Record<string, string>>;
  /** All that the agent reads. Undefined: lines go on coming. */
  stdin?: string | undefined;
}

/**
 * Who belongs to the launch, and how it is ended. `$t` is its token, `$d` its folder. The agent leads a group of its own
 * where `setsid` exists; its pid is in the folder.
 */
const FAMILY = `
members() { grep -lsF "${LAUNCH_VARIABLE}=$t" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n'; }
leader() { cat "$d/pid" 2>/dev/null; }
living() { [ -n "$(members)" ] || { p=$(leader) && [ -n "$p" ] && kill -0 "$p" 2>/dev/null; }; }
tell() {
  p=$(leader)
  if [ -n "$p" ]; then kill -s "$1" -- "-$p" 2>/dev/null || kill -s "$1" "$p" 2>/dev/null; fi
  [ "$1" = INT ] || for m in $(members); do kill -s "$1" "$m" 2>/dev/null; done
}
stop_family() {
  tell TERM
  i=0
  while [ $i -lt 20 ] && living; do sleep 0.1 2>/dev/null || sleep 1; i=$((i + 1)); done
  i=0
  while [ $i -lt 20 ] && living; do tell KILL; sleep 0.1 2>/dev/null || sleep 1; i=$((i + 1)); done
}`;

/** Non-login shells of many machines do not look where user-level installers put programs. */
const MORE_PATH = 'PATH=$PATH:$HOME/.local/bin:$HOME/bin:/usr/local/bin; export PATH';

/**
 * The connection's stdin is the life-line: lines for the agent, orders in between (`ORDERS`), and its end means that
 * nobody listens any more. It is read by a process of its own, so that an agent that does not read cannot hide the end.
 * Farewells (`WORDS`) go to stderr.
 */
export function writeLaunchScript(launch: Launch): string {
  const { token, folder, argv, env, cwd, files = {}, stdin } = launch;
  const given = stdin !== undefined;
  return `exec 3<&0 </dev/null
t=${shellQuote(token)} d=${shellQuote(folder)}
trap : INT TERM HUP
${MORE_PATH}
${FAMILY}
say() { printf '\\n%s %s\\n' "$t" "$*" >&2; }
give_up() { rm -rf "$d"; say "refused $*"; exit 1; }
( umask 077 && mkdir "$d" && mkfifo "$d/in"${writeFileCommands(files)} ) || give_up scratch
${cwd === undefined ? ':' : `cd ${remotePath(cwd)} || give_up folder`}
( ${writeExports(env)}command -v ${shellQuote(argv[0] ?? '')} >/dev/null 2>&1 ) || give_up missing
say here
${given ? `{ trap '' PIPE; printf %s ${shellQuote(stdin)} >"$d/in"; } >/dev/null 2>&1 &\nf=$!` : 'f='}
{
  trap '' PIPE
  ${given ? '' : 'exec 4>"$d/in"'}
  while IFS= read -r l <&3; do
    case $l in
      "$t int") tell INT ;;
      "$t eof") ${given ? ':' : 'exec 4>&-'} ;;
      "$t end") break ;;
      *) ${given ? ':' : `printf '%s\\n' "$l" >&4`} ;;
    esac
  done
  exec 4>&-
  stop_family
  rm -rf "$d"
} >/dev/null 2>&1 &
w=$!
(
  ${writeExports({ ...env, [LAUNCH_VARIABLE]: token })}
  exec $(command -v setsid) sh -c 'echo $$ >"$0/pid"; exec "$@"' "$d" ${argv.map(shellQuote).join(' ')}
) <"$d/in" 3<&-
code=$?
rm -f "$d/pid"
[ -z "$(members)" ] || stop_family
kill -s KILL $w $f 2>/dev/null
rm -rf "$d"
say "end $code"
exit $code`;
}

/** For a second connection: ends what the first one has started, if it is still there. */
export function writeStopScript({ token, folder }: Pick<Launch, 'token' | 'folder'>): string {
  return `t=${shellQuote(token)} d=${shellQuote(folder)}\n${FAMILY}\nstop_family\nrm -rf "$d"`;
}

/** As the one line that `BOOT` reads. */
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

/** `sh -c BOOT`, as the words of a client that takes words. */
export const BOOT_WORDS: readonly string[] = ['sh', '-c', BOOT];
/** The same for a client that hands one string to the login shell. */
export const BOOT_COMMAND: string = `exec ${shellCommand(BOOT_WORDS)}`;
