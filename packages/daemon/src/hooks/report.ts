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
  type Delivery,
  HOOKS_VARIABLE,
  type HookPlaces,
  hookPlacesIn,
  LOG_BYTES,
  SESSION_VARIABLE,
  SPOOL_LIMITS,
  TIME_VARIABLE,
} from './spool.ts';

/** One in so many calls looks whether too much waits: to count costs more than to report. */
const LOOKS_EVERY = 64;
const WORKSPACES_BYTES = 4 * 1024 * 1024;
const MOST_ANCESTORS = 5;

/**
 * `amux hooks <agent> <event> [session]`. Leaves a report where the workspace is one of ours, and does nothing else: prints
 * nothing, asks nobody, never throws. True: its input has not ended, and a thread waits for that.
 */
export async function report(args: readonly string[], env: NodeJS.ProcessEnv, at: number): Promise<boolean> {
  let places: HookPlaces | undefined;
  let input: Input | undefined;
  try {
    places = findHookPlaces(env);
    const call = readCall(places, args, env);
    if (call === null) return false;
    input = await readInput();
    writeReport(places, { ...call, at, input });
    if (Math.random() * LOOKS_EVERY < 1) keepSpoolSmall(places);
  } catch (error) {
    if (places) logFailure(places, `${args.join(' ')}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return input?.isStuck ?? false;
}

/** A reporter that nobody waits for starts when there is room for it; longer than this it does not take. */
const STARTS_WITHIN_MS = 60_000;

/**
 * The time at which the reporter was started is the nearest to what it tells, unless its caller says it better: plugins wait for no
 * reporter, and those overtake each other.
 */
export function timeOfCall(env: NodeJS.ProcessEnv, startedAt: number): number {
  const told = Number(env[TIME_VARIABLE]);
  return told > startedAt - STARTS_WITHIN_MS && told <= startedAt ? told : startedAt;
}

/** As `stateFolder` of core says it, which takes too long to load; a test holds both together. */
export function findHookPlaces(env: NodeJS.ProcessEnv): HookPlaces {
  const xdg = env.XDG_STATE_HOME;
  // Loaded where it is needed, which is hardly ever.
  const home = () => env.HOME || env.USERPROFILE || process.getBuiltinModule('node:os').homedir();
  const base = xdg && isAbsolute(xdg) ? xdg : join(home(), '.local', 'state');
  return hookPlacesIn(join(base, 'agent-mux'));
}

/** Null: it is none of our business. */
function readCall(
  places: HookPlaces,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Omit<Told, 'at' | 'input'> | null {
  const [agent, event, given] = args;
  const inherited = env[SESSION_VARIABLE];
  if (!agent || !event || !/^[\w.-]{1,100}$/.test(agent) || !isLine(event) || args.length > 3)
    throw new Error('the call must be amux hooks AGENT EVENT [SESSION]');
  const cwd = findFolder();
  const isAskedFor = given || inherited || env[HOOKS_VARIABLE];
  if (!isAskedFor && !isManaged(places, agent, cwd)) return null;
  return {
    agent,
    event,
    session: given || inherited || null,
    sessionBy: given ? 'argument' : inherited ? 'environment' : null,
    run: env.AGENT_MUX_RUN_ID ?? null,
    cwd,
    ppid: process.ppid,
    ancestors: listAncestors(),
  };
}

type Told = Omit<Delivery, 'v' | 'id' | 'payload' | 'cut'> & { input: Input };

let count = 0;

/** Throws where it cannot be written; then nothing is left of it. */
export function writeReport(places: HookPlaces, { input, ...told }: Told): string {
  count += 1;
  const time = String(Math.round(told.at * 1000)).padStart(16, '0');
  const chance = Math.random().toString(36).slice(2, 10).padEnd(8, '0');
  const id = `${time}-${process.pid}-${String(count).padStart(6, '0')}-${chance}`;
  const delivery: Delivery = { v: 1, id, ...told, payload: input.text, cut: input.cut };
  const unfinished = join(places.unfinished, id);
  const text = JSON.stringify(delivery);
  try {
    withFolders(places, () => writeFileSync(unfinished, text, { flag: 'wx', mode: 0o600 }));
    withFolders(places, () => renameSync(unfinished, join(places.spool, `${id}.json`)));
  } catch (error) {
    remove(unfinished);
    throw error;
  }
  return id;
}

/** They are there, but for the first time. */
function withFolders(places: HookPlaces, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    for (const folder of [places.unfinished, places.spool]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    work();
  }
}

/** While nobody takes them, the oldest reports go: what a session did last says more. */
export function keepSpoolSmall(places: HookPlaces, limits = SPOOL_LIMITS): void {
  const names = readdirSync(places.spool).sort().reverse();
  let bytes = 0;
  let dropped = 0;
  for (const [at, name] of names.entries()) {
    const path = join(places.spool, name);
    bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (at < limits.files && bytes <= limits.bytes) continue;
    if (remove(path)) dropped += 1;
  }
  if (dropped > 0)
    logFailure(places, `${dropped} old reports were dropped: no daemon has taken them, and there is room for no more`);
}

/** Of the process, as it is on the disk. Null: it is gone. */
function findFolder(): string | null {
  try {
    return realpathSync(process.cwd());
  } catch {
    return null;
  }
}

function isManaged({ workspaces }: HookPlaces, agent: string, cwd: string | null): boolean {
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

/** Now, since a shell in between may be gone when the daemon looks. Only Linux tells. */
function listAncestors(): Ancestor[] {
  const found: Ancestor[] = [];
  if (process.platform !== 'linux') return found;
  try {
    for (let pid = process.ppid; pid > 1 && found.length < MOST_ANCESTORS; ) {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name may hold spaces and parentheses: fields are counted from the last one.
      const end = stat.lastIndexOf(')');
      const fields = stat.slice(end + 2).split(' ');
      found.push({ pid, startTime: fields[19] ?? '', name: stat.slice(stat.indexOf('(') + 1, end) });
      pid = Number(fields[1]);
    }
  } catch {
    // Whoever it was is gone; those below it are known.
  }
  return found;
}

/** One line, in a file that does not grow for ever. Where even that fails, nobody is left to tell. */
export function logFailure(places: HookPlaces, problem: string): void {
  try {
    const line = problem.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, 500);
    mkdirSync(places.root, { recursive: true, mode: 0o700 });
    if ((statSync(places.log, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES)
      renameSync(places.log, `${places.log}.1`);
    appendFileSync(places.log, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });
  } catch {
    // A full or read-only disk: the agent must not hear of it.
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
