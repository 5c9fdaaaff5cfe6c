import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { findStorageFailure } from '@agent-mux/core';
import { readAt } from '../journal/segments.ts';
import { readJsonLines } from '../keeper/json-lines.ts';
import { KeeperError, storageRefusal } from '../keeper/keeper-error.ts';
import { readKeeperMessage } from '../keeper/read-messages.ts';
import { compileCache, KEEPER_FLAGS } from '../node-options.ts';

/** From the start of the process to what it holds being open; the agent itself is not waited for. */
const START_LIMIT_MS = 60_000;
/** A log that has grown beyond this begins anew. */
const LOG_BYTES = 1024 * 1024;
const TAIL_BYTES = 2000;

/**
 * What a process needs to find its files. Nothing else of the environment is handed over: what the agent may have of it comes
 * with the launch, on stdin, where no list of processes shows it.
 */
const BARE_NAMES = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TMPDIR', 'TMP', 'TEMP', 'XDG_RUNTIME_DIR'],
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

interface Handed {
  hostEnv: Readonly<Record<string, string>>;
}

/**
 * Starts a process that outlives this one (`runAsHolder`), and hands it what it is to hold. Resolves when that is open. Rejects
 * with its refusal, or with the last lines of its log.
 */
export async function startHolder(
  main: string,
  folder: string,
  launch: Handed,
  limitMs: number = START_LIMIT_MS,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const logPath = join(folder, 'keeper.log');
  const log = openLog(logPath);
  const logStart = fstatSync(log).size;
  let child: ChildProcess;
  try {
    child = spawnHolder(main, folder, launch, log);
  } finally {
    closeSync(log);
  }
  try {
    await firstAnswer(child, launch, limitMs);
  } catch (error) {
    if (error instanceof KeeperError && error.code !== 'KEEPER_GONE') throw error;
    const tail = readAt(logPath, logStart, TAIL_BYTES).toString('utf8').trim();
    throw new KeeperError('KEEPER_GONE', `the keeper did not start: ${tail || String(error)}`, `see ${logPath}`);
  }
}

function spawnHolder(main: string, folder: string, launch: Handed, log: number): ChildProcess {
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

/** Resolves when it has opened what it is to hold; rejects with its refusal, or when it has ended or takes too long. */
function firstAnswer(child: ChildProcess, launch: Handed, limitMs: number): Promise<void> {
  const { stdin } = child;
  // One that was not started has no streams.
  const answers = child.pid === undefined ? undefined : child.stdio[3];
  return new Promise((resolve, reject) => {
    let end = 'it ended';
    const settle = (act: () => void) => {
      clearTimeout(timer);
      answers?.destroy();
      act();
    };
    const gone = (why: string) => settle(() => reject(new KeeperError('KEEPER_GONE', why)));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      gone('it took too long');
    }, limitMs);
    child.on('error', (error) => {
      const failure = findStorageFailure(error, process.execPath);
      if (!failure) return gone(error.message);
      const { code, message, hint } = storageRefusal(failure);
      settle(() => reject(new KeeperError(code, `a process could not be started: ${message}`, hint)));
    });
    child.on('exit', (code, signal) => {
      end = `it ended with ${signal ?? code}`;
    });
    // Its error comes next.
    if (child.pid === undefined) return;
    if (!stdin || !(answers instanceof Readable)) return gone('it has no streams');
    answers.on('close', () => gone(end));
    answers.on('error', () => {});
    stdin.on('error', () => {});
    readJsonLines(answers, {
      fault: gone,
      value: (value) => {
        const message = readKeeperMessage(value);
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
  if (fstatSync(file).size > LOG_BYTES) ftruncateSync(file, 0);
  return file;
}
