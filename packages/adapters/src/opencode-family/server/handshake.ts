import type { DecodeContext, Decoded, EventBody, HttpCall, HttpMessage } from '@agent-mux/core';
import { isRecord, type Json, record, records, word } from '../../shared/json.ts';
import { effortRefused, effortUnchecked } from '../../shared/thinking.ts';
import type { ModelRef } from '../choices.ts';
import type { FamilyDialect } from '../dialect.ts';
import { familyFailureEvents, readFailure } from '../errors.ts';
import { endsWith, type PermissionRule, readRules, rulesOfAgent, sessionRules, subagentsOf } from '../permissions.ts';
import { call, eventsCall, mcpAddCall, mcpNamesCall, sessionCall } from './calls.ts';
import type { FamilyState } from './state.ts';

type Reply = Extract<HttpMessage, { kind: 'reply' }>;

/** From the health check to a session: each reply triggers the next request. */
export function replyInHandshake(
  reply: Reply,
  state: FamilyState,
  dialect: FamilyDialect,
  context: DecodeContext,
): Decoded<HttpCall> {
  const ok = reply.status >= 200 && reply.status < 300;
  const body = record(reply.body);
  switch (reply.tag) {
    case 'health':
      return ok && body.healthy === true
        ? alive(body, state)
        : { events: refusedStreamEvents(reply.status, reply.body, dialect) };
    case 'agents':
      state.agentRules = ownAndUsersRules(rulesOfAgent(reply.body, state.agentName ?? dialect.defaultAgent));
      state.subagents = subagentsOf(reply.body);
      state.rules = sessionRules({ ...state, mode: state.approvalMode });
      return { events: [], replies: [sessionOpening(state)] };
    case 'create':
      return ok ? enterSession(body, 'start', state) : failHandshake(sessionFailure(reply, undefined, context));
    case 'find':
    case 'fork':
      if (!ok) return failHandshake(sessionFailure(reply, state.resume ?? state.fork, context));
      return found(body, state);
    case 'rules':
      if (!ok) return failHandshake(sessionFailure(reply, undefined, context));
      return step('history', state);
    case 'history':
      state.lastMessageId = word(record(records(reply.body).at(-1)?.info).id) ?? '';
      return step('start', state);
    case 'providers':
      return takeProviders(reply, state);
    case 'mcp-names':
      return ok ? mcpNames(body, state) : failHandshake(sessionFailure(reply, undefined, context));
    case 'mcp-add':
      return takeMcpAnswer(reply, state);
    default:
      return { events: [] };
  }
}

/** A name that is in use belongs to the user or to another run, and is not reused. */
function mcpNames(body: Json, state: FamilyState): Decoded<HttpCall> {
  state.mcpServers = [...new Set([...state.mcpServers, ...Object.keys(body)])];
  const taken = state.mcpDue.filter(({ name }) => body[name] && record(body[name]).status !== 'disabled');
  if (taken.length > 0) {
    const names = taken.map(({ name }) => `"${name}"`).join(', ');
    const message = `the server already has MCP servers with these names in ${state.directory}: ${names}; choose others`;
    return failHandshake({ type: 'error', code: 'CONFIG_ERROR', message, recoverable: false });
  }
  return nextMcp(state);
}

/** The server accepts any variant, and ignores one that the model does not have (OpenCode 1.18.33, Kilo 7.7.7). */
function takeProviders({ body }: Reply, state: FamilyState): Decoded<HttpCall> {
  const effort = state.variantDue ?? '';
  delete state.variantDue;
  const providers = records(record(body).providers);
  const model = state.model ?? onlyDefault(providers, record(record(body).default));
  const { models } = record(providers.find(({ id }) => id === model?.providerID));
  const native = model && record(models)[model.modelID];
  const { events, replies = [] } = step('start', state);
  if (!model || !isRecord(native)) {
    const why = model ? 'the server does not list its model' : 'name a model to have it checked';
    return { events: [effortUnchecked(effort, why), ...events], replies };
  }
  const variants = Object.keys(record(native.variants));
  if (variants.includes(state.variant ?? '')) return { events, replies };
  const known = variants.map((name) => (name === 'none' ? 'off' : name));
  return failHandshake(effortRefused(effort, `${model.providerID}/${model.modelID}`, known));
}

/** Only for a single provider: with several, the user's choice is unknown here. */
function onlyDefault(providers: readonly Json[], defaults: Json): ModelRef | undefined {
  const providerID = providers.length === 1 ? word(providers[0]?.id) : undefined;
  const modelID = providerID === undefined ? undefined : word(defaults[providerID]);
  return providerID === undefined || modelID === undefined ? undefined : { providerID, modelID };
}

function nextMcp(state: FamilyState): Decoded<HttpCall> {
  const [next] = state.mcpDue;
  return next ? { events: [], replies: [mcpAddCall(next.name, next.config, state)] } : step('start', state);
}

function takeMcpAnswer({ status, body }: Reply, state: FamilyState): Decoded<HttpCall> {
  const added = state.mcpDue.shift();
  if (!added) return { events: [] };
  state.mcpAdded.push(added.name);
  const { status: mcpStatus, error } = record(record(body)[added.name]);
  if (status >= 200 && status < 300 && mcpStatus === 'connected') return nextMcp(state);
  const why = word(error) ?? word(mcpStatus) ?? `status ${status}`;
  const message = `the MCP server "${added.name}" could not be added: ${why}`;
  return failHandshake({ type: 'error', code: 'CONFIG_ERROR', message, recoverable: false });
}

/** The server is another one, or rejects the login. */
export function refusedStreamEvents(status: number, body: unknown, dialect: FamilyDialect): EventBody[] {
  if (status === 401 || status === 403) {
    const variable = `${dialect.envPrefix}_SERVER_PASSWORD`;
    const message = `the ${dialect.displayName} server rejected the password (${status})`;
    return [
      { type: 'auth_error', message, guidance: `Set ${variable} to the password of the server.` },
      { type: 'turn_end', status: 'failed' },
    ];
  }
  const said = typeof body === 'string' ? '' : ` ${JSON.stringify(body)?.slice(0, 200) ?? ''}`;
  const message = `not an ${dialect.displayName} server (status ${status}${said})`;
  return [
    { type: 'error', code: 'PROTOCOL_ERROR', message, recoverable: false },
    { type: 'turn_end', status: 'failed' },
  ];
}

function alive(body: Json, state: FamilyState): Decoded<HttpCall> {
  const version = word(body.version);
  if (version) state.version = version;
  const first = state.withRules ? call('agents', 'GET', '/agent', state) : sessionOpening(state);
  return { events: [], replies: [first, call('mcp', 'GET', '/mcp', state)] };
}

/** The rule that our own launch added (see launch.ts) is not the user's. */
function ownAndUsersRules(rules: readonly PermissionRule[]): PermissionRule[] {
  return rules.filter(
    ({ permission, pattern, action }) => !(permission === '*' && pattern === '*' && action === 'ask'),
  );
}

function sessionOpening(state: FamilyState): HttpCall {
  const id = state.resume ?? state.fork;
  if (id === undefined) {
    return call('create', 'POST', '/session', state, state.withRules ? { permission: state.rules } : {});
  }
  const path = `/session/${encodeURIComponent(id)}`;
  return state.fork ? call('fork', 'POST', `${path}/fork`, state, {}) : call('find', 'GET', path, state);
}

/** A session keeps the rules of its earlier runs; new ones are appended, and the last one wins. */
function found(body: Json, state: FamilyState): Decoded<HttpCall> {
  const title = word(body.title);
  if (title) state.title = title;
  const asItIs = !state.withRules || endsWith(readRules(body.permission), state.rules);
  return enterSession(body, asItIs ? 'history' : 'rules', state);
}

type Step = 'rules' | 'history' | 'start';

/**
 * A session works in the folder it was started in, whatever folder a request names (seen with both CLIs), and sends its
 * events only there.
 */
function enterSession(body: Json, next: Step, state: FamilyState): Decoded<HttpCall> {
  const id = word(body.id);
  if (!id)
    return failHandshake({
      type: 'error',
      code: 'PROTOCOL_ERROR',
      message: 'a session without id',
      recoverable: false,
    });
  state.sessionId = id;
  const folder = word(body.directory) ?? state.directory;
  if (folder === state.directory) return step(next, state);
  const message = `the session belongs to ${folder} and continues there, not in ${state.directory}`;
  const events: EventBody[] =
    next === 'start' ? [] : [{ type: 'debug', level: 'warn', code: 'session_other_project', message }];
  state.directory = folder;
  state.otherFolder = { next, breaks: 0 };
  return { events, replies: [eventsCall(state)] };
}

export function step(next: Step, state: FamilyState): Decoded<HttpCall> {
  if (next === 'start' && state.variantDue !== undefined)
    return { events: [], replies: [call('providers', 'GET', '/config/providers', state)] };
  if (next === 'start' && state.mcpDue.length > 0) return { events: [], replies: [mcpNamesCall(state)] };
  if (next === 'start') return { events: [sessionStart(state)] };
  if (next === 'history') return { events: [], replies: [lastMessage(state)] };
  return { events: [], replies: [sessionCall('rules', 'PATCH', '', state, { permission: state.rules })] };
}

/** The end of the history, so that late events of it do not count for the new turn. */
function lastMessage(state: FamilyState): HttpCall {
  return sessionCall('history', 'GET', '/message?limit=1', state);
}

function sessionStart({ sessionId, model, version, directory, agentName }: FamilyState): EventBody {
  return {
    type: 'session_start',
    sessionId,
    cwd: directory,
    ...(model ? { model: `${model.providerID}/${model.modelID}` } : {}),
    ...(version ? { agentVersion: version } : {}),
    ...(agentName ? { permissionMode: agentName } : {}),
  };
}

/** A malformed id is answered with 500. */
function sessionFailure(reply: Reply, id: string | undefined, { now }: DecodeContext): EventBody {
  const failure = readFailure(reply.body);
  if (id !== undefined && (reply.status === 404 || reply.status === 400 || !id.startsWith('ses'))) {
    return { type: 'error', code: 'SESSION_NOT_FOUND', message: `session ${id} not found`, recoverable: false };
  }
  return familyFailureEvents({ ...failure, message: `the server answered ${reply.status}: ${failure.message}` }, now);
}

function failHandshake(event: EventBody): Decoded<HttpCall> {
  return { events: [event, { type: 'turn_end', status: 'failed' }] };
}
