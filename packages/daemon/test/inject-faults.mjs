/**
 * Loaded with `--import` into a process under test. While the file $FAULT_CONTROL contains `{"errno": "EIO", "under":
 * "/folder"}`, every write below that folder fails with that error: in calls of node, and in SQLite statements that
 * change something. Keepers started by the process load it, too. `{"hang": "rename", "under": ...}` makes that call
 * never return, so that the process can be killed in the middle of it.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { constants as os } from 'node:os';
import sqlite from 'node:sqlite';

const control = process.env.FAULT_CONTROL ?? '';
const { readFileSync, readlinkSync } = fs;
const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR;

function faultFor(path, call) {
  let fault;
  try {
    fault = JSON.parse(readFileSync(control, 'utf8'));
  } catch {
    return undefined;
  }
  const name = typeof path === 'number' ? pathOf(path) : String(path?.pathname ?? path);
  if (!name.startsWith(fault.under)) return undefined;
  if (fault.hang !== undefined) return fault.hang === call ? 'hang' : undefined;
  const error = new Error(`${fault.errno}: injected, ${call} '${name}'`);
  return Object.assign(error, { code: fault.errno, errno: -os.errno[fault.errno], syscall: call, path: name });
}

function pathOf(fd) {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

function isWriting(flags) {
  return typeof flags === 'string' ? !/^r$/.test(flags) : ((flags ?? 0) & WRITING) !== 0;
}

/** By the argument that names the file; `open` fails only for writing. */
const CALLS = {
  open: (path, flags) => (isWriting(flags) ? [path] : []),
  write: (fd) => [fd],
  writeFile: (path) => [path],
  appendFile: (path) => [path],
  mkdir: (path) => [path],
  mkdtemp: (path) => [path],
  rename: (_from, to) => [to],
  link: (_from, to) => [to],
  copyFile: (_from, to) => [to],
  symlink: (_from, to) => [to],
  rm: (path) => [path],
  chmod: () => [],
  ftruncate: (fd) => [fd],
  fdatasync: (fd) => [fd],
  fsync: (fd) => [fd],
};

for (const [name, filesOf] of Object.entries(CALLS)) {
  const find = (args) =>
    filesOf(...args)
      .map((file) => faultFor(file, name))
      .find(Boolean);
  wrap(fs, `${name}Sync`, (call, args, self) => {
    const error = find(args);
    if (error && error !== 'hang') throw error;
    return call.apply(self, args);
  });
  wrap(fs.promises, name, (call, args, self) => {
    const error = find(args);
    if (error === 'hang') return new Promise(() => {});
    return error ? Promise.reject(error) : call.apply(self, args);
  });
  wrap(fs, name, (call, args, self) => {
    const error = find(args);
    const done = args.at(-1);
    if (!error || error === 'hang' || typeof done !== 'function') return call.apply(self, args);
    process.nextTick(done, error);
  });
}

/** Files that were opened before the fault started. */
const opened = await fs.promises.open(new URL(import.meta.url));
for (const name of ['write', 'writeFile', 'appendFile', 'datasync', 'sync', 'truncate'])
  wrap(Object.getPrototypeOf(opened), name, (call, args, self) => {
    const error = faultFor(self.fd, name);
    return error && error !== 'hang' ? Promise.reject(error) : call.apply(self, args);
  });
await opened.close();

/** Statements that change something fail with SQLite's error codes; their owner rolls the transaction back. */
const SQLITE_RESULT = { EIO: 10, EROFS: 8, ENOSPC: 13 };
wrap(sqlite.StatementSync.prototype, 'run', (call, args, self) => {
  const fault = faultFor(process.env.FAULT_STORE ?? '', 'sqlite');
  const sql = self.sourceSQL;
  if (!fault || fault === 'hang' || /^(?:BEGIN|ROLLBACK)/.test(sql)) return call.apply(self, args);
  throw Object.assign(new Error(`injected: ${fault.code}`), {
    code: 'ERR_SQLITE_ERROR',
    errcode: SQLITE_RESULT[fault.code] ?? 10,
  });
});

/** A keeper gets a separate environment. */
wrap(childProcess, 'spawn', (call, [command, args, options], self) => {
  const isKeeper = command === process.execPath && Array.isArray(args) && args.some((arg) => /keeper/.test(arg));
  if (!isKeeper) return call.apply(self, [command, args, options]);
  const env = { ...options.env, FAULT_CONTROL: control, NODE_OPTIONS: `--import=${import.meta.url}` };
  return call.apply(self, [command, args, { ...options, env }]);
});
syncBuiltinESMExports();

function wrap(owner, name, replacement) {
  const call = owner[name];
  if (typeof call !== 'function') return;
  owner[name] = function (...args) {
    return replacement(call, args, this);
  };
}
