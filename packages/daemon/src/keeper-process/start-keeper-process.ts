import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { findStorageFailure } from '@agent-mux/core';
import { readAt } from '../journal/segments.ts';
import { readJsonLines } from '../keeper/json-lines.ts';
import { KeeperError, storageErrorInfo } from '../keeper/keeper-error.ts';
import { parseKeeperMessage } from '../keeper/parse-messages.ts';
import { compileCache, KEEPER_FLAGS } from '../node-options.ts';

/** Time from the start of the process until its session or terminal is open. Does not include starting the agent. */
const START_TIMEOUT_MS = 60_000;
/** A larger log is truncated. */
const MAX_LOG_BYTES = 1024 * 1024;
const TAIL_BYTES = 2000;

/**
 * The variables a process needs to find its files. Nothing else is inherited: the agent's variables come with the
 * launch on stdin, where process listings do not show them.
 */
const BARE_NAMES = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TMPDIR', 'TMP', 'TEMP', 'XDG_RUNTIME_DIR'],
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

interface KeeperInput {
  hostEnv: Readonly<Record<string, string>>;
}

/**
 * Starts a process that outlives this one (`runKeeperProcess`) and sends it the launch. Resolves when its session or
 * terminal is open. Rejects with its error, or with the last lines of its log.
 */
export async function startKeeperProcess(
  main: string,
  folder: string,
  launch: KeeperInput,
  limitMs: number = START_TIMEOUT_MS,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const logPath = join(folder, 'keeper.log');
  const log = openLog(logPath);
  const logStart = fstatSync(log).size;
  let child: ChildProcess;
  try {
    child = spawnKeeper(main, folder, launch, log);
  } finally {
    closeSync(log);
  }
  try {
    await waitForReply(child, launch, limitMs);
  } catch (error) {
    if (error instanceof KeeperError && error.code !== 'KEEPER_GONE') throw error;
    const tail = readAt(logPath, logStart, TAIL_BYTES).toString('utf8').trim();
    throw new KeeperError('KEEPER_GONE', `the keeper did not start: ${tail || String(error)}`, `see ${logPath}`);
  }
}

function spawnKeeper(main: string, folder: string, launch: KeeperInput, log: number): ChildProcess {
  const flags = main.endsWith('.ts') ? ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'] : [];
  const child = spawn(process.execPath, [...KEEPER_FLAGS, ...flags, main, folder], {
    detached: true,
    cwd: process.platform === 'win32' ? folder : '/',
    env: { ...bareEnvironment(launch.hostEnv), ...compileCache(process.env) },
    stdio: ['pipe', log, log, 'pipe'],
    windowsHide: true,
  });
  child.unref();
  return child;
}

function bareEnvironment(hostEnv: Readonly<Record<string, string>>): Record<string, string> {
  const names = BARE_NAMES.flatMap((name) => {
    const value = hostEnv[name] ?? process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(names);
}

/** Resolves on a successful reply. Rejects with the keeper's error, when it exits, or on timeout. */
function waitForReply(child: ChildProcess, launch: KeeperInput, limitMs: number): Promise<void> {
  const { stdin } = child;
  // A process that was not started has no streams.
  const replies = child.pid === undefined ? undefined : child.stdio[3];
  return new Promise((resolve, reject) => {
    let end = 'it exited';
    const settle = (act: () => void) => {
      clearTimeout(timer);
      replies?.destroy();
      act();
    };
    const gone = (why: string) => settle(() => reject(new KeeperError('KEEPER_GONE', why)));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      gone('it timed out');
    }, limitMs);
    child.on('error', (error) => {
      const failure = findStorageFailure(error, process.execPath);
      if (!failure) return gone(error.message);
      const { code, message, hint } = storageErrorInfo(failure);
      settle(() => reject(new KeeperError(code, `could not start a process: ${message}`, hint)));
    });
    child.on('exit', (code, signal) => {
      end = `it exited with ${signal ?? code}`;
    });
    // An error event follows.
    if (child.pid === undefined) return;
    if (!stdin || !(replies instanceof Readable)) return gone('it has no streams');
    replies.on('close', () => gone(end));
    replies.on('error', () => {});
    stdin.on('error', () => {});
    readJsonLines(replies, {
      issue: gone,
      value: (value) => {
        const message = parseKeeperMessage(value);
        if (message?.type !== 'reply') return;
        if (message.ok) settle(resolve);
        else {
          const { code, message: text, hint } = message.error;
          settle(() => reject(new KeeperError(code, text, hint)));
        }
      },
    });
    stdin.end(`${JSON.stringify(launch)}\n`);
  });
}

function openLog(path: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(path, flags, 0o600);
  if (fstatSync(file).size > MAX_LOG_BYTES) ftruncateSync(file, 0);
  return file;
}
