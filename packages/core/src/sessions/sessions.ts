import { AgentMuxError, CapabilityError, ValidationError } from '../contract/errors.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import {
  COST_GROUPS,
  type CostQuery,
  SESSION_FORMATS,
  type SessionCatalog,
  type SessionCosts,
  type SessionDiff,
  type SessionFilter,
  type SessionFormat,
  type SessionList,
  type SessionProblem,
  type SessionQuery,
  type SessionSearch,
  type SessionSummary,
  type SessionUpdate,
} from '../contract/session-queries.ts';
import type { Session, SessionRef } from '../contract/sessions.ts';
import { listCosts } from './costs.ts';
import { exportSession } from './export/export.ts';
import { resolveFilter } from './filter-times.ts';
import { indexFile } from './index-file.ts';
import { findSessionsNamed, listSessions, searchSessions, sumUsageBy } from './index-queries.ts';
import { diffMessages } from './message-diff.ts';
import { Prices } from './prices.ts';
import { SessionIndex } from './session-index.ts';
import { findSessionSources, type SessionSource } from './sources.ts';
import { watchSession, watchSessions } from './watch.ts';

/** Maximum number of candidates in a hint. */
const CANDIDATES = 5;

interface Resolved {
  summary: SessionSummary;
  source: SessionSource;
  ref: SessionRef;
}

/** The stored sessions of every registered agent. Opened on first use. */
export class Sessions implements SessionCatalog {
  readonly #adapters: AdapterRegistry;
  readonly #env: NodeJS.ProcessEnv;
  #opened: ReturnType<typeof open> | undefined;

  constructor({ adapters, env = process.env }: { adapters: AdapterRegistry; env?: NodeJS.ProcessEnv }) {
    this.#adapters = adapters;
    this.#env = env;
  }

  async list(options: SessionQuery = {}): Promise<SessionList> {
    const query = resolveFilter(options);
    const { index, prices } = this.#parts();
    const { sources, unreadable } = this.#sources(query.agents);
    const { answer, problems } = await index.ask(sources, this.#refresh(query), (database) =>
      listSessions(database, sources, query, prices),
    );
    return { ...answer, problems: [...unreadable, ...problems] };
  }

  async get(id: string): Promise<Session> {
    return this.#read(await this.#resolve(id));
  }

  async summary(id: string): Promise<SessionSummary> {
    return (await this.#resolve(id)).summary;
  }

  async search(text: string, options: SessionQuery = {}): Promise<SessionSearch> {
    const query = resolveFilter(options);
    const { index, prices } = this.#parts();
    const { sources, unreadable } = this.#sources(query.agents);
    const { answer, problems } = await index.ask(sources, this.#refresh(query), (database) =>
      searchSessions(database, sources, { text, filter: query }, prices),
    );
    return { hits: answer, problems: [...unreadable, ...problems] };
  }

  async export(id: string, format: SessionFormat): Promise<string> {
    if (!SESSION_FORMATS.includes(format)) throw notOneOf('format', format, SESSION_FORMATS);
    return exportSession(await this.get(id), format);
  }

  async costs({ by, ...options }: CostQuery): Promise<SessionCosts> {
    if (!COST_GROUPS.includes(by)) throw notOneOf('by', by, COST_GROUPS);
    const query = resolveFilter(options);
    const { index, prices } = this.#parts();
    const { sources, unreadable } = this.#sources(query.agents);
    const { answer, problems } = await index.ask(sources, this.#refresh(query), (database) =>
      listCosts(sumUsageBy(database, sources, by, query), by, prices),
    );
    return { ...answer, problems: [...unreadable, ...problems] };
  }

  async diff(a: string, b: string): Promise<SessionDiff> {
    const [one, other] = [await this.#resolve(a), await this.#resolve(b)];
    const [before, after] = await Promise.all([this.#read(one), this.#read(other)]);
    return { a: one.summary, b: other.summary, ...diffMessages(before.messages, after.messages) };
  }

  async *watch(what: string | SessionFilter, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<SessionUpdate> {
    if (typeof what === 'string') {
      const { source, ref } = await this.#resolve(what);
      yield* watchSession(source, ref, this.#env, signal);
      return;
    }
    const { sources } = this.#sources(what.agents);
    const { sessions: known } = await this.list({ ...what, limit: undefined });
    yield* watchSessions(sources, what, { known, env: this.#env, signal });
  }

  async delete(id: string): Promise<SessionSummary> {
    const { source, ref, summary } = await this.#resolve(id);
    const { agent, store } = source;
    if (!store.remove) {
      const name = this.#adapters.get(agent).displayName;
      throw new CapabilityError(
        agent,
        'delete',
        `cannot delete a session of ${name}: ${summary.path} contains other sessions or is not fully supported`,
        `check whether ${name} has a command for it`,
      );
    }
    await store.remove(ref);
    const { index } = this.#parts();
    await index.forget(source, ref);
    return summary;
  }

  #parts(): ReturnType<typeof open> {
    this.#opened ??= open(this.#adapters, this.#env);
    return this.#opened;
  }

  #refresh({ onProgress }: Pick<SessionQuery, 'onProgress'>) {
    return { env: this.#env, ...(onProgress ? { onProgress } : {}) };
  }

  /** Throws UNKNOWN_AGENT. Reports a requested agent without readable sessions as a problem. */
  #sources(agents: readonly string[] = []): { sources: SessionSource[]; unreadable: SessionProblem[] } {
    const { sources: all, problems } = findSessionSources(this.#adapters, this.#env);
    if (agents.length === 0) return { sources: all, unreadable: problems };
    const readable = new Set(all.flatMap((source) => source.agents));
    const unreadable = agents.flatMap((agent): SessionProblem[] => {
      const { displayName } = this.#adapters.get(agent);
      if (readable.has(agent)) return [];
      const known = problems.filter((problem) => problem.agent === agent);
      if (known.length > 0) return known;
      return [{ agent, path: '', problem: `the session storage of ${displayName} is not supported` }];
    });
    return { sources: all.filter((source) => source.agents.some((name) => agents.includes(name))), unreadable };
  }

  async #resolve(id: string): Promise<Resolved> {
    const { index, prices } = this.#parts();
    const { sources } = this.#sources();
    const { answer } = await index.ask(sources, this.#refresh({}), (database) => {
      const whole = findSessionsNamed(database, sources, id, prices);
      const [, agent, rest] = /^([^:]+):(.+)$/s.exec(id) ?? [];
      if (whole.found.length > 0 || agent === undefined || rest === undefined) return whole;
      const ofAgent = sources.filter((source) => source.agents.includes(agent));
      return findSessionsNamed(database, ofAgent, rest, prices);
    });
    const { exact, found } = answer;
    const [first] = found;
    // A session that was copied to another location keeps its id: the one that continues is meant.
    const isOne = exact ? new Set(found.map(({ agent }) => agent)).size === 1 : new Set(found.map(nameOf)).size === 1;
    if (!first || !isOne || id === '') throw notFound(id, id === '' ? [] : found);
    const source = sources.find(({ agent }) => agent === first.agent);
    if (!source) throw notFound(id, []);
    const { path, key } = first;
    return { summary: first, source, ref: { path, ...(key === undefined ? {} : { key }), stamp: '' } };
  }

  async #read({ source, ref }: Resolved): Promise<Session> {
    return { ...(await source.store.read(ref)), agent: source.agent };
  }
}

function open(adapters: AdapterRegistry, env: NodeJS.ProcessEnv) {
  return { index: new SessionIndex(indexFile(env)), prices: new Prices(adapters) };
}

function nameOf({ agent, sessionId }: SessionSummary): string {
  return `${agent}:${sessionId}`;
}

function notFound(id: string, found: readonly SessionSummary[]): AgentMuxError {
  if (found.length === 0) {
    return new AgentMuxError('SESSION_NOT_FOUND', `session "${id}" not found`, {
      hint: 'run "amux sessions --all" to list sessions; a unique prefix of an id is enough',
    });
  }
  const names = [...new Set(found.map(nameOf))];
  const more = names.length > CANDIDATES ? ', ...' : '';
  return new AgentMuxError('SESSION_NOT_FOUND', `"${id}" is ambiguous: it matches ${names.length} sessions`, {
    hint: `use one of: ${names.slice(0, CANDIDATES).join(', ')}${more}`,
    data: { candidates: names },
  });
}

function notOneOf(field: string, value: string, known: readonly string[]): ValidationError {
  return new ValidationError('sessions', [{ field, problem: `"${value}" is not one of ${known.join(', ')}` }]);
}
