import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { type Input, readInput } from './read-input.ts';
import {
  type Ancestor,
  HOOKS_VARIABLE,
  type HookDelivery,
  type HookPaths,
  hookPathsIn,
  LOG_BYTES,
  SESSION_VARIABLE,
  SPOOL_LIMITS,
  TIME_VARIABLE,
} from './spool.ts';

/** One in this many calls checks the size of the spool: counting costs more than reporting. */
const TRIM_EVERY = 64;
const WORKSPACES_BYTES = 4 * 1024 * 1024;
const MAX_ANCESTORS = 5;

/**
 * `amux hooks <agent> <event> [session]`. Writes a report if the workspace is managed, and does nothing else: prints
 * nothing, never prompts, never throws. Returns true if stdin has not ended and a thread still waits for it.
 */
export async function report(args: readonly string[], env: NodeJS.ProcessEnv, at: number): Promise<boolean> {
  let paths: HookPaths | undefined;
  let input: Input | undefined;
  try {
    paths = resolveHookPaths(env);
    const call = readCall(paths, args, env);
    if (call === null) return false;
    input = await readInput();
    writeReport(paths, { ...call, at, input });
    if (Math.random() * TRIM_EVERY < 1) trimSpool(paths);
  } catch (error) {
    if (paths) logFailure(paths, `${args.join(' ')}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return input?.isStuck ?? false;
}

/** A reporter that its caller does not wait for starts when the system has capacity, but within this time. */
const STARTS_WITHIN_MS = 60_000;

/**
 * The start time of the reporter is the best estimate of the time of the event, unless the caller passes it: plugins do
 * not wait for their reporters, which may overtake each other.
 */
export function timeOfCall(env: NodeJS.ProcessEnv, startedAt: number): number {
  const passed = Number(env[TIME_VARIABLE]);
  return passed > startedAt - STARTS_WITHIN_MS && passed <= startedAt ? passed : startedAt;
}

/** Same as `stateFolder` of core, which takes too long to load; a test compares both. */
export function resolveHookPaths(env: NodeJS.ProcessEnv): HookPaths {
  const xdg = env.XDG_STATE_HOME;
  // Loaded on demand, which is rare.
  const home = () => env.HOME || env.USERPROFILE || process.getBuiltinModule('node:os').homedir();
  const base = xdg && isAbsolute(xdg) ? xdg : join(home(), '.local', 'state');
  return hookPathsIn(join(base, 'agent-mux'));
}

/** Returns null if the call does not concern agent-mux. */
function readCall(
  paths: HookPaths,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Omit<ReportTarget, 'at' | 'input'> | null {
  const [agent, event, session] = args;
  const inherited = env[SESSION_VARIABLE];
  if (!agent || !event || !/^[\w.-]{1,100}$/.test(agent) || !isLine(event) || args.length > 3)
    throw new Error('usage: amux hooks AGENT EVENT [SESSION]');
  const cwd = findFolder();
  const isRequested = session || inherited || env[HOOKS_VARIABLE];
  if (!isRequested && !isManaged(paths, agent, cwd)) return null;
  return {
    agent,
    event,
    session: session || inherited || null,
    sessionBy: session ? 'argument' : inherited ? 'environment' : null,
    run: env.AGENT_MUX_RUN_ID ?? null,
    cwd,
    ppid: process.ppid,
    ancestors: listAncestors(),
  };
}

type ReportTarget = Omit<HookDelivery, 'v' | 'id' | 'payload' | 'cut'> & { input: Input };

let count = 0;

/** Throws if the report cannot be written, and then leaves no partial file. */
export function writeReport(paths: HookPaths, { input, ...call }: ReportTarget): string {
  count += 1;
  const time = String(Math.round(call.at * 1000)).padStart(16, '0');
  const chance = Math.random().toString(36).slice(2, 10).padEnd(8, '0');
  const id = `${time}-${process.pid}-${String(count).padStart(6, '0')}-${chance}`;
  const delivery: HookDelivery = { v: 1, id, ...call, payload: input.text, cut: input.cut };
  const unfinished = join(paths.unfinished, id);
  const text = JSON.stringify(delivery);
  try {
    withFolders(paths, () => writeFileSync(unfinished, text, { flag: 'wx', mode: 0o600 }));
    withFolders(paths, () => renameSync(unfinished, join(paths.spool, `${id}.json`)));
  } catch (error) {
    remove(unfinished);
    throw error;
  }
  return id;
}

/** Creates the folders on first use. */
function withFolders(paths: HookPaths, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    for (const folder of [paths.unfinished, paths.spool]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    work();
  }
}

/** Drops the oldest reports while no daemon reads them: the latest activity matters more. */
export function trimSpool(paths: HookPaths, limits = SPOOL_LIMITS): void {
  const names = readdirSync(paths.spool).sort().reverse();
  let bytes = 0;
  let dropped = 0;
  for (const [at, name] of names.entries()) {
    const path = join(paths.spool, name);
    bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (at < limits.files && bytes <= limits.bytes) continue;
    if (remove(path)) dropped += 1;
  }
  if (dropped > 0)
    logFailure(paths, `${dropped} old reports were dropped: no daemon has read them, and the spool is full`);
}

/** Real path of the current folder; null if it no longer exists. */
function findFolder(): string | null {
  try {
    return realpathSync(process.cwd());
  } catch {
    return null;
  }
}

function isManaged({ workspaces }: HookPaths, agent: string, cwd: string | null): boolean {
  const { size } = statSync(workspaces, { throwIfNoEntry: false }) ?? { size: 0 };
  if (cwd === null || size === 0 || size > WORKSPACES_BYTES) return false;
  const known: unknown = JSON.parse(readFileSync(workspaces, 'utf8'));
  const table = typeof known === 'object' && known !== null && 'workspaces' in known ? known.workspaces : null;
  if (typeof table !== 'object' || table === null) return false;
  return Object.entries(table).some(
    ([folder, agents]) =>
      (cwd === folder || cwd.startsWith(folder.endsWith(sep) ? folder : folder + sep)) &&
      Array.isArray(agents) &&
      agents.includes(agent),
  );
}

/** Read now, since an intermediate shell may be gone when the daemon looks. Linux only. */
function listAncestors(): Ancestor[] {
  const found: Ancestor[] = [];
  if (process.platform !== 'linux') return found;
  try {
    for (let pid = process.ppid; pid > 1 && found.length < MAX_ANCESTORS; ) {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name may contain spaces and parentheses, so the fields are counted from the last parenthesis.
      const end = stat.lastIndexOf(')');
      const fields = stat.slice(end + 2).split(' ');
      found.push({ pid, startTime: fields[19] ?? '', name: stat.slice(stat.indexOf('(') + 1, end) });
      pid = Number(fields[1]);
    }
  } catch {
    // The process has exited; the ones found so far are enough.
  }
  return found;
}

/** Writes one line to a log of limited size. Ignores errors, since they cannot be reported anywhere. */
export function logFailure(paths: HookPaths, problem: string): void {
  try {
    const line = problem.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, 500);
    mkdirSync(paths.root, { recursive: true, mode: 0o700 });
    if ((statSync(paths.log, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES)
      renameSync(paths.log, `${paths.log}.1`);
    appendFileSync(paths.log, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });
  } catch {
    // The disk is full or read-only; the agent must not notice.
  }
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

function isLine(text: string): boolean {
  return text.length <= 100 && !/[\p{Cc}]/u.test(text);
}
