import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';

type Table = Record<PropertyKey, unknown>;

/** Reverts one change of the process. */
type Undo = () => void;

/** Not called, since they would have an effect; all others are. */
const EFFECTS: readonly [name: string, holder: object, members?: readonly string[]][] = [
  ['fs', fs],
  ['fs.promises', fs.promises],
  ['child_process', childProcess],
  ['net', net, ['connect', 'createConnection', 'createServer']],
  ['http', http, ['request', 'get', 'createServer']],
  ['https', https, ['request', 'get', 'createServer']],
  ['dns', dns, ['lookup', 'resolve']],
  ['globalThis', globalThis, ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']],
  ['process', process, ['exit', 'abort', 'kill', 'chdir', 'on', 'once', 'nextTick', 'emitWarning']],
];
const ASKED: readonly [name: string, holder: object, members: readonly string[]][] = [
  ['Math', Math, ['random']],
  ['crypto', crypto, ['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues']],
  ['crypto', globalThis.crypto, ['randomUUID', 'getRandomValues']],
  ['performance', performance, ['now']],
  ['process', process, ['hrtime', 'uptime', 'cwd']],
  ['os', os, ['hostname', 'homedir', 'tmpdir', 'userInfo', 'networkInterfaces']],
  ['console', console, ['log', 'info', 'warn', 'error', 'debug']],
  ['process.stdout', process.stdout, ['write']],
  ['process.stderr', process.stderr, ['write']],
];
/** Different on another machine: without an explicit locale, and for local time. */
const LOCAL: readonly [name: string, holder: object, members: readonly string[], language?: number][] = [
  ['String', String.prototype, ['localeCompare'], 1],
  ['String', String.prototype, ['toLocaleLowerCase', 'toLocaleUpperCase'], 0],
  ['Number', Number.prototype, ['toLocaleString'], 0],
  ['Date', Date.prototype, ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'], 0],
  ['Date', Date.prototype, ['getTimezoneOffset', 'getHours', 'getDate', 'getDay', 'getMonth', 'getFullYear']],
  ['Date', Date.prototype, ['setHours', 'setDate', 'setMonth', 'toString', 'toDateString', 'toTimeString']],
];

/**
 * Runs the work, and reports accesses that a pure function does not have: files, processes, the network, the clock,
 * randomness, the environment, the locale of the machine. Only for synchronous work.
 */
export function reachesOf(work: () => void): string[] {
  const watching = watchProcess();
  try {
    work();
  } finally {
    watching.end();
  }
  return watching.reaches();
}

/** More promise turns than any pure work takes. */
const MAX_PROMISES = 1000;

/**
 * The same for asynchronous work that awaits only resolved promises. Work that waits for more is not observed any
 * further: the process is shared.
 */
export async function reachesOfPromised(work: () => Promise<unknown>): Promise<string[]> {
  const watching = watchProcess();
  let done = false;
  try {
    void work().then(
      () => {
        done = true;
      },
      () => {
        done = true;
      },
    );
    for (let turn = 0; turn < MAX_PROMISES && !done; turn += 1) await null;
  } finally {
    watching.end();
  }
  return watching.reaches();
}

function watchProcess(): { reaches(): string[]; end(): void } {
  const reaches = new Set<string>();
  const undo: Undo[] = [];
  const globals = new Set(Reflect.ownKeys(globalThis));
  for (const [name, holder, members] of EFFECTS) {
    for (const member of members ?? Object.keys(holder)) {
      watch(undo, holder, member, () => {
        reaches.add(`${name}.${member}`);
        throw new Error(`${name}.${member} is not for an adapter`);
      });
    }
  }
  for (const [name, holder, members] of ASKED) {
    for (const member of members) watch(undo, holder, member, () => reaches.add(`${name}.${member}`));
  }
  for (const [name, holder, members, language] of LOCAL) {
    for (const member of members) {
      watch(undo, holder, member, (args) => {
        if (language === undefined || args[language] === undefined) reaches.add(`${name}.${member}`);
      });
    }
  }
  undo.push(watchClock(reaches), watchEnvironment(reaches));
  syncBuiltinESMExports();
  return {
    reaches: () => [...reaches].sort(),
    end: () => {
      for (const each of undo.reverse()) each();
      syncBuiltinESMExports();
      for (const key of Reflect.ownKeys(globalThis)) {
        if (globals.has(key)) continue;
        reaches.add(`globalThis.${String(key)}`);
        Reflect.deleteProperty(globalThis, key);
      }
    },
  };
}

function watch(undo: Undo[], holder: object, member: string, onCall: (args: readonly unknown[]) => void): void {
  const table = holder as Table;
  const own = Object.getOwnPropertyDescriptor(holder, member);
  const original = own && 'value' in own ? own.value : own === undefined ? table[member] : undefined;
  if (typeof original !== 'function' || own?.configurable === false) return;
  // Classes among them (`fs.ReadStream`) are called with `new`.
  const watched = new Proxy(original, {
    apply(target, self, args) {
      onCall(args);
      return Reflect.apply(target, self, args);
    },
    construct(target, args, newTarget) {
      onCall(args);
      return Reflect.construct(target, args, newTarget);
    },
  });
  Object.defineProperty(holder, member, { value: watched, configurable: true, writable: true, enumerable: true });
  undo.push(() => {
    if (own) Object.defineProperty(holder, member, own);
    else Reflect.deleteProperty(holder, member);
  });
}

function watchClock(reaches: Set<string>): Undo {
  const { Date: real } = globalThis;
  globalThis.Date = new Proxy(real, {
    apply(target, self, args) {
      reaches.add('Date()');
      return Reflect.apply(target, self, args);
    },
    construct(target, args, newTarget) {
      if (args.length === 0) reaches.add('new Date()');
      if (args.length > 1 || isLocalTime(args[0])) reaches.add('new Date(a time without its zone)');
      return Reflect.construct(target, args, newTarget);
    },
    get(target, key) {
      if (key === 'now') reaches.add('Date.now');
      return Reflect.get(target, key, target);
    },
  });
  return () => {
    globalThis.Date = real;
  };
}

/** A date alone is UTC; with an hour and no zone it is local time. */
function isLocalTime(value: unknown): boolean {
  return (
    typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(value)
  );
}

function watchEnvironment(reaches: Set<string>): Undo {
  const { env } = process;
  const note = (key: PropertyKey): void => {
    reaches.add(`process.env.${String(key)}`);
  };
  process.env = new Proxy(env, {
    get(target, key) {
      note(key);
      return Reflect.get(target, key);
    },
    has(target, key) {
      note(key);
      return Reflect.has(target, key);
    },
    ownKeys(target) {
      note('*');
      return Reflect.ownKeys(target);
    },
  });
  return () => {
    process.env = env;
  };
}
