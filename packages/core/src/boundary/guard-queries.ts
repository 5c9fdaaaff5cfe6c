import type { AgentAdapter } from '../contract/adapter.ts';
import type { ModelCapabilities } from '../contract/capabilities.ts';
import type { RateLimitWindow } from '../contract/events.ts';
import type { AgentCommand, AgentQuery, PluginListing, PluginSpec } from '../contract/plugins.ts';
import type { QuotaQuery } from '../contract/quota.ts';
import type { Session, SessionRef, SessionStore } from '../contract/sessions.ts';
import { isRecord } from '../values.ts';
import { nameOf } from './event-shape.ts';
import { type AdapterMethod, adapterError, callLater, callNow } from './guard-call.ts';

/** Time limit of reads: sessions, configuration. */
export const READ_LIMIT_MS = 60_000;

/** Returns the value if it has the expected shape; otherwise throws an error that names the member. */
export function assertShape<Value>(
  member: AdapterMethod,
  value: unknown,
  due: string,
  is: (value: unknown) => value is Value,
): Value {
  if (is(value)) return value;
  throw adapterError(member, `returned ${nameOf(value)}, expected ${due}`);
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isSession = (value: unknown): value is Session =>
  isRecord(value) && isText(value.sessionId) && Array.isArray(value.messages) && value.messages.every(isMessage);
export const isIdList = <Entry extends { id: string }>(value: unknown): value is Entry[] =>
  Array.isArray(value) && value.every((each) => isRecord(each) && isText(each.id));

function isMessage(value: unknown): boolean {
  if (!isRecord(value) || typeof value.role !== 'string' || typeof value.text !== 'string') return false;
  const { thinking, toolCalls = [], parts = [] } = value;
  return (
    (thinking === undefined || typeof thinking === 'string') &&
    Array.isArray(toolCalls) &&
    toolCalls.every((call) => isRecord(call) && typeof call.toolName === 'string') &&
    Array.isArray(parts) &&
    parts.every((part) => isRecord(part) && (part.type === 'tool' || typeof part.text === 'string'))
  );
}

const isRefs = (value: unknown): value is SessionRef[] =>
  Array.isArray(value) && value.every((each) => isRecord(each) && isText(each.path) && typeof each.stamp === 'string');
const isCommand = (value: unknown): value is AgentCommand =>
  isRecord(value) && Array.isArray(value.args) && value.args.every((each) => typeof each === 'string');
const isQuery = <Answer>(value: unknown): value is AgentQuery<Answer> =>
  isCommand(value) && 'parse' in value && typeof value.parse === 'function';

const STORES = new WeakMap<SessionStore, SessionStore>();

/** A store shared by several agents stays shared. */
export function guardStore(agent: string, store: SessionStore): SessionStore {
  const known = STORES.get(store) ?? createStoreGuard(agent, store);
  STORES.set(store, known);
  return known;
}

function createStoreGuard(agent: string, store: SessionStore): SessionStore {
  const member = (name: string): AdapterMethod => ({ agent, name: `sessionStore.${name}` });
  const { remove } = store;
  return {
    root: (env) =>
      assertShape(
        member('root'),
        callNow(member('root'), () => store.root(env)),
        'a path',
        isText,
      ),
    async find(env) {
      const found = await callLater(member('find'), READ_LIMIT_MS, () => store.find(env));
      return assertShape(member('find'), found, 'a list of session refs', isRefs);
    },
    async read(ref, options) {
      const session = await callLater(member('read'), READ_LIMIT_MS, () => store.read(ref, options));
      return assertShape(member('read'), session, 'a session', isSession);
    },
    ...(remove && {
      async remove(ref) {
        await callLater(member('remove'), READ_LIMIT_MS, () => remove.call(store, ref));
      },
    }),
  };
}

export function guardModelQuery(
  agent: string,
  query: NonNullable<AgentAdapter['modelQuery']>,
): AgentQuery<ModelCapabilities[]> {
  return guardQuery<ModelCapabilities>({ agent, name: 'modelQuery.parse' }, query);
}

export function guardQuotaQuery(agent: string, query: QuotaQuery): QuotaQuery {
  const member = (name: string): AdapterMethod => ({ agent, name: `quotaQuery.${name}` });
  const { credentials } = query;
  return {
    credentials,
    tokenOf: (text, now) =>
      assertShape(
        member('tokenOf'),
        callNow(member('tokenOf'), () => query.tokenOf(text, now)),
        'a token or nothing',
        (value): value is string | undefined => value === undefined || isText(value),
      ),
    request: (token, base) =>
      assertShape(
        member('request'),
        callNow(member('request'), () => query.request(token, base)),
        'a request',
        isRequest,
      ),
    parse: (body) =>
      assertShape(
        member('parse'),
        callNow(member('parse'), () => query.parse(body)),
        'a list of windows or nothing',
        isWindows,
      ),
  };
}

const isRequest = (value: unknown): value is ReturnType<QuotaQuery['request']> =>
  isRecord(value) &&
  isText(value.url) &&
  isRecord(value.headers) &&
  Object.values(value.headers).every((header) => typeof header === 'string');
const isNumberOrNull = (value: unknown): boolean => value === null || Number.isFinite(value);
const isWindows = (value: unknown): value is RateLimitWindow[] | undefined =>
  value === undefined ||
  (Array.isArray(value) &&
    value.every(
      (each) =>
        isRecord(each) &&
        isText(each.window) &&
        isNumberOrNull(each.usedPercent) &&
        isNumberOrNull(each.resetsAt) &&
        typeof each.exhausted === 'boolean',
    ));

export function guardPlugins(agent: string, plugins: PluginSpec): PluginSpec {
  const member = (name: string): AdapterMethod => ({ agent, name: `plugins.${name}` });
  const command = (name: string, call: () => unknown): AgentCommand =>
    assertShape(member(name), callNow(member(name), call), 'a command', isCommand);
  const { search } = plugins;
  return {
    ...plugins,
    list: guardQuery(member('list.parse'), plugins.list),
    install: (id, options) => command('install', () => plugins.install(id, options)),
    uninstall: (id, options) => command('uninstall', () => plugins.uninstall(id, options)),
    ...(search && {
      search(query, options) {
        const asked = callNow(member('search'), () => search.call(plugins, query, options));
        return guardQuery(
          member('search.parse'),
          assertShape(member('search'), asked, 'a query', isQuery<PluginListing[]>),
        );
      },
    }),
  };
}

function guardQuery<Entry extends { id: string }>(
  member: AdapterMethod,
  query: AgentQuery<Entry[]>,
): AgentQuery<Entry[]> {
  const parse: AgentQuery<Entry[]>['parse'] = (output) =>
    assertShape(
      member,
      callNow(member, () => query.parse(output)),
      'a list with ids',
      isIdList<Entry>,
    );
  return { ...query, parse };
}
