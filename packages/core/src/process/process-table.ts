import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isRecord } from '../values.ts';

/** Identifies a process, even if a later one gets the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Opaque; equal only for the same process. */
  startTime: string;
}

export interface ProcessRow extends ProcessIdentity {
  parent: number;
  group: number;
}

/** A reserve for when no descriptor is free: reading the process table needs one. */
let spare: number | undefined;

/** Call before starting anything that may have to be ended. */
export function reserveDescriptor(): void {
  if (process.platform !== 'linux') return;
  try {
    spare ??= openSync('/proc/self/stat', 'r');
  } catch {
    // None is free to reserve; later calls will report that.
  }
}

/** Every living process, without zombies, which only wait for their parent. Throws if it cannot be read. */
export function listProcesses(): ProcessRow[] {
  return process.platform === 'linux' ? listFromProc() : listFromPs();
}

/** Undefined if the process does not exist or the platform cannot report it. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const row = process.platform === 'linux' ? readStat(pid) : listFromPs().find((one) => one.pid === pid);
  return row && { pid, startTime: row.startTime };
}

/** The entries that are still the same process. */
export function stillAlive(known: readonly ProcessIdentity[]): ProcessIdentity[] {
  if (process.platform === 'linux') return known.filter(({ pid, startTime }) => readStat(pid)?.startTime === startTime);
  const now = new Map(listFromPs().map(({ pid, startTime }) => [pid, startTime]));
  return known.filter(({ pid, startTime }) => now.get(pid) === startTime);
}

/** True if it was killed but is not gone yet; Linux only. */
export function isDying(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  const stat = lookAt(() => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? '';
  const flags = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[6]);
  if ((flags & EXITING) !== 0) return true;
  const status = lookAt(() => readFileSync(`/proc/${pid}/status`, 'latin1')) ?? '';
  const pending = /^SigPnd:\t[0-9a-f]*([0-9a-f]{4})$/m.exec(status)?.[1] ?? '0';
  return (Number.parseInt(pending, 16) & KILL_PENDING) !== 0;
}

/** Kernel bits: PF_EXITING, and signal 9. */
const EXITING = 0x4;
const KILL_PENDING = 1 << 8;

/** Whether its environment at start had this entry, or one with this prefix; Linux only. */
export function hasEnvironment(pid: number, entry: string, isPrefix = false): boolean {
  if (process.platform !== 'linux') return false;
  const environment = lookAt(() => readFileSync(`/proc/${pid}/environ`, 'latin1'));
  return environment !== undefined && `\0${environment}`.includes(`\0${entry}${isPrefix ? '' : '\0'}`);
}

/** The pipes and sockets of its standard streams, by unique names; Linux only. */
export function listStandardStreams(pid: number): string[] {
  if (process.platform !== 'linux') return [];
  return ['0', '1', '2'].map((fd) => streamOf(pid, fd)).filter((name) => name !== undefined);
}

/** Whether one of its descriptors is one of these; Linux only, and only for processes of this user. */
export function holdsStream(pid: number, streams: readonly string[]): boolean {
  if (process.platform !== 'linux' || streams.length === 0) return false;
  const open = lookAt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return open.some((fd) => streams.includes(streamOf(pid, fd) ?? ''));
}

function streamOf(pid: number, fd: string): string | undefined {
  const name = lookAt(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
  return name !== undefined && /^(?:pipe|socket):/.test(name) ? name : undefined;
}

/** Undefined if the process is gone or belongs to another user. Throws if no descriptor is free. */
function lookAt<T>(at: () => T): T | undefined {
  try {
    return at();
  } catch (error) {
    if (!isExhausted(error)) return undefined;
    if (spare === undefined) throw error;
  }
  closeSync(spare);
  spare = undefined;
  try {
    return at();
  } catch (error) {
    if (isExhausted(error)) throw error;
    return undefined;
  } finally {
    reserveDescriptor();
  }
}

function isExhausted(error: unknown): boolean {
  return isRecord(error) && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

function listFromProc(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of lookAt(() => readdirSync('/proc')) ?? []) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = readStat(pid);
    if (row) rows.push(row);
  }
  return rows;
}

function readStat(pid: number): ProcessRow | undefined {
  const stat = lookAt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === undefined) return undefined;
  // The name may contain spaces and parentheses: fields are counted from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), startTime: fields[19] ?? '' };
}

function listFromPs(): ProcessRow[] {
  const { stdout, error } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8' });
  if (error && isExhausted(error)) throw error;
  const rows: ProcessRow[] = [];
  for (const line of (stdout ?? '').split('\n')) {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (!pid || state?.startsWith('Z')) continue;
    rows.push({ pid: Number(pid), parent: Number(parent), group: Number(group), startTime: started.join(' ') });
  }
  return rows;
}
