import { availableParallelism } from 'node:os';
import { lookupBinary } from '../binaries/lookup-binary.ts';
import { askVersion, compareVersions, type VersionAnswer } from '../binaries/version.ts';
import { type CachedVersion, markOf, VersionCache, type VersionQuery } from '../binaries/version-cache.ts';
import type { AgentAdapter, DetectInstallationResult, InstalledAgentInfo } from '../contract/adapter.ts';
import type { AuthState } from '../contract/auth-and-config.ts';
import { buildChildEnv } from '../env/child-env.ts';
import { KeyedSemaphore } from '../keyed-semaphore.ts';

/** How long a detection result is valid. */
export const DETECTION_TTL_MS = 30_000;
/** How long a version is valid while the binary's file has not changed. */
export const VERSION_TTL_MS = 10 * 60_000;
/** Time limit for the file system to locate a binary, and for an adapter to report logins and models. */
const CHECK_LIMIT_MS = 5_000;
/** Number of version queries in parallel. With all at once, most CLIs would not answer in time. */
const MAX_PARALLEL_QUERIES = Math.min(8, Math.max(2, availableParallelism()));

export interface DetectionOptions {
  env?: NodeJS.ProcessEnv;
  /** Environment variables that mark a host agent, for all agents. */
  hostSignals?: () => readonly string[];
  now?: () => number;
}

interface Kept<Value> {
  value: Promise<Value>;
  /** Infinity while pending: concurrent callers share the result. */
  until: number;
}

/** What is known about an agent without starting its CLI. */
export interface DetectionSnapshot {
  info: InstalledAgentInfo;
  /** False: the version is outdated or missing, so the CLI must be queried. */
  isCurrent: boolean;
}

/** A pending version query, and the number of its waiters. */
interface Question {
  stop: AbortController;
  waiting: number;
}

/** Detects registered agents on this machine. Never rejects: failures are part of the result. */
export class Detection {
  readonly #env: NodeJS.ProcessEnv;
  readonly #hostSignals: () => readonly string[];
  readonly #now: () => number;
  readonly #infos = new Map<AgentAdapter, Kept<InstalledAgentInfo>>();
  readonly #lookups = new Map<AgentAdapter, Kept<string | null>>();
  readonly #versions = new Map<string, Kept<VersionAnswer>>();
  readonly #questions = new Map<string, Question>();
  readonly #cache: VersionCache;
  readonly #asking = new KeyedSemaphore(MAX_PARALLEL_QUERIES);
  /** Adapters whose cached version is stale because something was installed. */
  readonly #forgotten = new WeakSet<AgentAdapter>();

  constructor(options: DetectionOptions = {}) {
    this.#env = options.env ?? process.env;
    this.#hostSignals = options.hostSignals ?? (() => []);
    this.#now = options.now ?? Date.now;
    this.#cache = new VersionCache(this.#env);
  }

  /** `fresh`: bypasses the cache. */
  detect(adapter: AgentAdapter, fresh = false): Promise<InstalledAgentInfo> {
    if (fresh) {
      for (const map of [this.#infos, this.#lookups, this.#versions]) dropSettled<unknown, unknown>(map);
      this.#forgotten.add(adapter);
    }
    return this.#keep(this.#infos, adapter, DETECTION_TTL_MS, () =>
      this.#describe(adapter, (command) => this.#versionOf(adapter, command)),
    );
  }

  /** Finds the binary without starting anything. A miss is not cached: the agent may be installed at any time. */
  lookup(adapter: AgentAdapter): Promise<string | null> {
    if (adapter.needsNoInstall) return Promise.resolve(adapter.cliCommand);
    return this.#keep(this.#lookups, adapter, DETECTION_TTL_MS, async () => {
      const reported = await this.#askAdapter(adapter);
      if (reported && !reported.installed) return null;
      const found = reported?.path ?? (await lookupBinary(adapter.cliCommand, { env: this.#env }));
      // If the adapter reports an installation, its command counts as found wherever it is.
      return found ?? (reported ? adapter.cliCommand : null);
    });
  }

  /**
   * Runs the CLI only if its file has changed since the last query, by this process or an earlier one. After an abort
   * the result is null, and the CLI is ended unless there are other waiters.
   */
  async version(adapter: AgentAdapter, signal?: AbortSignal): Promise<string | null> {
    if (adapter.needsNoInstall) return null;
    const reported = await this.#askAdapter(adapter);
    if (reported) return reported.version ?? null;
    const command = await this.lookup(adapter);
    if (command === null) return null;
    return (await this.#versionOf(adapter, command, signal))?.version ?? null;
  }

  /** Returns what is known now: no CLI is started, and the version may be outdated. */
  async glance(adapter: AgentAdapter): Promise<DetectionSnapshot> {
    let isCurrent = true;
    const info = await this.#describe(adapter, async (command) => {
      const known = await this.#remembered(adapter, command);
      isCurrent = known?.isCurrent ?? false;
      return known;
    });
    return { info, isCurrent };
  }

  /** Call after an installation, or when an adapter is removed. */
  forget(adapter: AgentAdapter): void {
    this.#infos.delete(adapter);
    this.#lookups.delete(adapter);
    this.#versions.clear();
    this.#forgotten.add(adapter);
  }

  /** Ends all pending version queries. */
  async close(): Promise<void> {
    for (const { stop } of this.#questions.values()) stop.abort();
    await Promise.allSettled([...this.#versions.values()].map(({ value }) => value));
  }

  async #remembered(adapter: AgentAdapter, command: string): Promise<CachedVersion | null> {
    if (this.#forgotten.has(adapter)) return null;
    return this.#cache.read({ command, args: versionArgs(adapter) }, this.#now());
  }

  async #versionOf(adapter: AgentAdapter, command: string, signal?: AbortSignal): Promise<VersionAnswer | null> {
    const known = await this.#remembered(adapter, command);
    if (known?.isCurrent) return { version: known.version };
    const query: VersionQuery = { command, args: versionArgs(adapter) };
    const mark = await markOf(query);
    const key = JSON.stringify([query, mark]);
    const question = this.#questions.get(key) ?? { stop: new AbortController(), waiting: 0 };
    const { signal: stopped } = question.stop;
    const ask = async () => {
      this.#questions.set(key, question);
      const answer = await this.#asking.run('', () => this.#ask(adapter, query, stopped), stopped);
      this.#questions.delete(key);
      // Failures are not cached: the next query may succeed.
      if (!stopped.aborted && answer.problem === undefined) {
        this.#forgotten.delete(adapter);
        await this.#cache.write(query, answer.version, mark);
      }
      return answer;
    };
    const cached = this.#keep(this.#versions, key, VERSION_TTL_MS, ask, ({ version }) => version === null);
    return waitFor(cached, question, signal);
  }

  #ask(adapter: AgentAdapter, { command, args }: VersionQuery, signal: AbortSignal): Promise<VersionAnswer> {
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
      answerWithin(this.#authState(adapter), 'unknown', CHECK_LIMIT_MS),
      answerWithin(this.#activeModel(adapter), null, CHECK_LIMIT_MS),
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
    const reported = await this.#askAdapter(adapter);
    if (reported)
      return { installed: reported.installed, cliPath: reported.path ?? null, version: reported.version ?? null };
    if (adapter.needsNoInstall) return { installed: true, cliPath: null, version: null };
    const cliPath = await answerWithin(this.lookup(adapter), null, CHECK_LIMIT_MS);
    if (cliPath === null) return ABSENT;
    const { version = null, problem } = (await versionOf(cliPath)) ?? {};
    return { installed: true, cliPath, version, ...(problem === undefined ? {} : { problem }) };
  }

  /**
   * What the adapter reports about its installation; undefined if it has no own detection. A failure counts as not
   * installed.
   */
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

  /** A miss is not cached: the next query may succeed. */
  #keep<Key, Value>(
    map: Map<Key, Kept<Value>>,
    key: Key,
    ttlMs: number,
    make: () => Promise<Value>,
    isMiss: (value: Value) => boolean = (value) => value === null,
  ): Promise<Value> {
    const cached = map.get(key);
    if (cached && this.#now() < cached.until) return cached.value;
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

/** Pending queries are kept: their results are current. */
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

/** The last waiter to leave waits until the CLI has exited; any other gets null immediately. */
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

/** The result, or a fallback if it fails or takes too long. */
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
