import { availableParallelism } from 'node:os';
import { lookupBinary } from '../binaries/lookup-binary.ts';
import { askVersion, compareVersions, type VersionAnswer } from '../binaries/version.ts';
import { type Asked, markOf, type Remembered, VersionCache } from '../binaries/version-cache.ts';
import type { AgentAdapter, DetectInstallationResult, InstalledAgentInfo } from '../contract/adapter.ts';
import type { AuthState } from '../contract/surroundings.ts';
import { buildChildEnv } from '../env/child-env.ts';
import { WaitingLine } from '../waiting-line.ts';

/** How long a detection is believed. */
export const DETECTION_TTL_MS = 30_000;
/** How long a version is believed while the binary's file has not changed. */
export const VERSION_TTL_MS = 10 * 60_000;
/** So long may a file system take to tell where a binary is, or an adapter what it knows of logins and models. */
const LOOK_LIMIT_MS = 5_000;
/** CLIs that are asked for their version at once. Asked all at the same moment, most of them would not answer in time. */
const ASKED_AT_ONCE = Math.min(8, Math.max(2, availableParallelism()));

export interface DetectionOptions {
  env?: NodeJS.ProcessEnv;
  /** The variables that mark a host agent, of all agents. */
  hostSignals?: () => readonly string[];
  now?: () => number;
}

interface Kept<Value> {
  value: Promise<Value>;
  /** Infinity while it is under way: all who ask meanwhile share it. */
  until: number;
}

/** What is known of an agent before any CLI is started. */
export interface Glance {
  info: InstalledAgentInfo;
  /** False: the version is an old answer, or there is none, and the CLI has to be asked. */
  isCurrent: boolean;
}

/** A CLI that is being asked for its version, and how many wait for it. */
interface Question {
  stop: AbortController;
  waiting: number;
}

/** What of the registered agents is on this machine. Asking never rejects: a failure is an answer. */
export class Detection {
  readonly #env: NodeJS.ProcessEnv;
  readonly #hostSignals: () => readonly string[];
  readonly #now: () => number;
  readonly #infos = new Map<AgentAdapter, Kept<InstalledAgentInfo>>();
  readonly #lookups = new Map<AgentAdapter, Kept<string | null>>();
  readonly #versions = new Map<string, Kept<VersionAnswer>>();
  readonly #questions = new Map<string, Question>();
  readonly #cache: VersionCache;
  readonly #asking = new WaitingLine(ASKED_AT_ONCE);
  /** Those whose remembered version is not believed: something was installed. */
  readonly #forgotten = new WeakSet<AgentAdapter>();

  constructor(options: DetectionOptions = {}) {
    this.#env = options.env ?? process.env;
    this.#hostSignals = options.hostSignals ?? (() => []);
    this.#now = options.now ?? Date.now;
    this.#cache = new VersionCache(this.#env);
  }

  /** `fresh`: by asking now, whatever was found earlier. */
  detect(adapter: AgentAdapter, fresh = false): Promise<InstalledAgentInfo> {
    if (fresh) {
      for (const map of [this.#infos, this.#lookups, this.#versions]) dropSettled<unknown, unknown>(map);
      this.#forgotten.add(adapter);
    }
    return this.#keep(this.#infos, adapter, DETECTION_TTL_MS, () =>
      this.#describe(adapter, (command) => this.#versionOf(adapter, command)),
    );
  }

  /** Finds the binary and starts nothing. A miss is not kept: it may be installed the next moment. */
  lookup(adapter: AgentAdapter): Promise<string | null> {
    if (adapter.needsNoInstall) return Promise.resolve(adapter.cliCommand);
    return this.#keep(this.#lookups, adapter, DETECTION_TTL_MS, async () => {
      const told = await this.#askAdapter(adapter);
      if (told && !told.installed) return null;
      const found = told?.path ?? (await lookupBinary(adapter.cliCommand, { env: this.#env }));
      // An adapter that says so is believed, wherever its command may be.
      return found ?? (told ? adapter.cliCommand : null);
    });
  }

  /**
   * Runs the CLI only if nobody has done so since its file last changed, in this process or an earlier one. With the
   * signal the answer is null, and the CLI is ended unless somebody else waits for it.
   */
  async version(adapter: AgentAdapter, signal?: AbortSignal): Promise<string | null> {
    if (adapter.needsNoInstall) return null;
    const told = await this.#askAdapter(adapter);
    if (told) return told.version ?? null;
    const command = await this.lookup(adapter);
    if (command === null) return null;
    return (await this.#versionOf(adapter, command, signal))?.version ?? null;
  }

  /** What is known right now: no CLI is started, and the version may be an old one. */
  async glance(adapter: AgentAdapter): Promise<Glance> {
    let isCurrent = true;
    const info = await this.#describe(adapter, async (command) => {
      const known = await this.#remembered(adapter, command);
      isCurrent = known?.isCurrent ?? false;
      return known;
    });
    return { info, isCurrent };
  }

  /** After an installation, or when an adapter goes. */
  forget(adapter: AgentAdapter): void {
    this.#infos.delete(adapter);
    this.#lookups.delete(adapter);
    this.#versions.clear();
    this.#forgotten.add(adapter);
  }

  /** Ends the CLIs that are being asked. */
  async close(): Promise<void> {
    for (const { stop } of this.#questions.values()) stop.abort();
    await Promise.allSettled([...this.#versions.values()].map(({ value }) => value));
  }

  async #remembered(adapter: AgentAdapter, command: string): Promise<Remembered | null> {
    if (this.#forgotten.has(adapter)) return null;
    return this.#cache.read({ command, args: versionArgs(adapter) }, this.#now());
  }

  async #versionOf(adapter: AgentAdapter, command: string, signal?: AbortSignal): Promise<VersionAnswer | null> {
    const known = await this.#remembered(adapter, command);
    if (known?.isCurrent) return { version: known.version };
    const asked: Asked = { command, args: versionArgs(adapter) };
    const mark = await markOf(asked);
    const key = JSON.stringify([asked, mark]);
    const question = this.#questions.get(key) ?? { stop: new AbortController(), waiting: 0 };
    const { signal: stopped } = question.stop;
    const ask = async () => {
      this.#questions.set(key, question);
      const answer = await this.#asking.run('', () => this.#ask(adapter, asked, stopped), stopped);
      this.#questions.delete(key);
      // What went wrong is not remembered: the next time it may be another.
      if (!stopped.aborted && answer.problem === undefined) {
        this.#forgotten.delete(adapter);
        await this.#cache.write(asked, answer.version, mark);
      }
      return answer;
    };
    const kept = this.#keep(this.#versions, key, VERSION_TTL_MS, ask, ({ version }) => version === null);
    return waitFor(kept, question, signal);
  }

  #ask(adapter: AgentAdapter, { command, args }: Asked, signal: AbortSignal): Promise<VersionAnswer> {
    const env = buildChildEnv({
      hostEnv: this.#env,
      envAllowList: adapter.envAllowList,
      allHostSignals: this.#hostSignals(),
    });
    return askVersion({ command, args, env, signal });
  }

  async #describe(adapter: AgentAdapter, versionOf: AskVersion): Promise<InstalledAgentInfo> {
    const [found, authState, activeModel] = await Promise.all([
      this.#find(adapter, versionOf),
      answerWithin(this.#authState(adapter), 'unknown', LOOK_LIMIT_MS),
      answerWithin(this.#activeModel(adapter), null, LOOK_LIMIT_MS),
    ]);
    return {
      agent: adapter.agent,
      ...found,
      meetsMinVersion: meetsMinimum(found.version, adapter.minVersion),
      minVersion: adapter.minVersion ?? '',
      authState,
      activeModel,
    };
  }

  async #find(adapter: AgentAdapter, versionOf: AskVersion): Promise<Found> {
    const told = await this.#askAdapter(adapter);
    if (told) return { installed: told.installed, cliPath: told.path ?? null, version: told.version ?? null };
    if (adapter.needsNoInstall) return { installed: true, cliPath: null, version: null };
    const cliPath = await answerWithin(this.lookup(adapter), null, LOOK_LIMIT_MS);
    if (cliPath === null) return ABSENT;
    const { version = null, problem } = (await versionOf(cliPath)) ?? {};
    return { installed: true, cliPath, version, ...(problem === undefined ? {} : { problem }) };
  }

  /** What the adapter itself knows of its installation; undefined where it leaves that to us. One that fails knows of none. */
  async #askAdapter(adapter: AgentAdapter): Promise<DetectInstallationResult | undefined> {
    return adapter.detectInstallation?.(this.#env).catch(() => ({ installed: false }));
  }

  async #authState(adapter: AgentAdapter): Promise<AuthState['status']> {
    return (await adapter.detectAuth(this.#env)).status;
  }

  async #activeModel(adapter: AgentAdapter): Promise<string | null> {
    const fallback = adapter.defaultModelId ?? null;
    try {
      return (await adapter.readConfig(undefined, this.#env)).model ?? fallback;
    } catch {
      return fallback;
    }
  }

  /** A miss is not kept: the next moment it may be another. */
  #keep<Key, Value>(
    map: Map<Key, Kept<Value>>,
    key: Key,
    ttlMs: number,
    make: () => Promise<Value>,
    isMiss: (value: Value) => boolean = (value) => value === null,
  ): Promise<Value> {
    const kept = map.get(key);
    if (kept && this.#now() < kept.until) return kept.value;
    const entry: Kept<Value> = { value: make(), until: Number.POSITIVE_INFINITY };
    map.set(key, entry);
    entry.value.then(
      (value) => {
        entry.until = isMiss(value) ? 0 : this.#now() + ttlMs;
      },
      () => {
        entry.until = 0;
      },
    );
    return entry.value;
  }
}

/** What is under way goes on: its answer is as new as any. */
function dropSettled<Key, Value>(map: Map<Key, Kept<Value>>): void {
  for (const [key, { until }] of map) if (until !== Number.POSITIVE_INFINITY) map.delete(key);
}

function versionArgs(adapter: AgentAdapter): readonly string[] {
  return adapter.versionArgs ?? ['--version'];
}

type AskVersion = (command: string) => Promise<VersionAnswer | null>;
type Found = Pick<InstalledAgentInfo, 'installed' | 'cliPath' | 'version' | 'problem'>;
const ABSENT: Found = { installed: false, cliPath: null, version: null };

function meetsMinimum(version: string | null, minVersion: string | undefined): boolean {
  if (minVersion === undefined) return true;
  return version !== null && compareVersions(version, minVersion) >= 0;
}

/** Whoever leaves as the last one waits until the CLI is gone; any other has null at once. */
async function waitFor<Value>(answer: Promise<Value>, question: Question, signal?: AbortSignal): Promise<Value | null> {
  question.waiting += 1;
  if (!signal) return answer;
  const { promise: left, resolve } = Promise.withResolvers<null>();
  const leave = () => {
    question.waiting -= 1;
    if (question.waiting === 0) question.stop.abort();
    else resolve(null);
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([answer, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** The answer, or another where it fails or takes too long. */
async function answerWithin<Value>(answer: Promise<Value>, otherwise: Value, limitMs: number): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<Value>();
  const timer = setTimeout(resolve, limitMs, otherwise);
  answer.then(resolve, () => resolve(otherwise));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
