import type { Decoded, EventBody, LiveCodec, ResolvedRunOptions, TurnInput } from '@agent-mux/core';
import {
  handleRpc,
  type RpcError,
  type RpcHandlers,
  readRpc,
  refuseRequest,
  rpcNotice,
  rpcRequest,
} from '../jsonrpc/index.ts';
import { CLIENT_INFO } from '../shared/client-info.ts';
import { isRecord, type Json, record, records, word } from '../shared/json.ts';
import type { AcpDialect } from './dialect.ts';
import { elicitation, elicitationAnswer } from './elicitation.ts';
import { decodeFailure } from './failure.ts';
import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_VERSION, UNSTABLE_METHODS } from './methods.ts';
import { permissionAnswer, permissionRequest } from './permissions.ts';
import { type AcpState, openState } from './state.ts';
import { deniedTool } from './tools.ts';
import { endPrompt } from './turn-end.ts';
import { decodeUpdate, endMessage } from './updates.ts';

/** The conversation with any agent that speaks ACP over stdio. */
export function acpCodec(dialect: AcpDialect = {}): LiveCodec<AcpState> {
  const handlers = handlersFor(dialect);
  return {
    open: (options: ResolvedRunOptions) =>
      openState(options, {
        configOptions: dialect.configOptions?.(options) ?? [],
        permissionOptions: dialect.permissionOptions?.(options) ?? [],
        meta: dialect.sessionMeta?.(options) ?? null,
        resume: options.sessionId ?? dialect.madeSession?.(options) ?? null,
      }),

    // No fs and no terminal: updates show what an agent does itself, but not what it delegates to the client.
    handshake: (state) => [
      rpcRequest(state.rpc, AGENT_METHODS.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          ...(dialect.elicitation ? { elicitation: { form: {} } } : {}),
        },
        clientInfo: CLIENT_INFO,
      }),
    ],

    turn: (input, state) => {
      state.prompting = true;
      state.cancelled = false;
      state.denied = false;
      state.failed = false;
      state.spoken = false;
      return [
        rpcRequest(state.rpc, AGENT_METHODS.session_prompt, {
          sessionId: state.sessionId,
          prompt: promptBlocks(input),
        }),
      ];
    },

    decode: (line, state) => decode(line, state, dialect, handlers),
    resolve: (request, answer, state) =>
      request.kind === 'input' ? elicitationAnswer(request, answer, state) : permissionAnswer(request, answer, state),

    interrupt: (state) => {
      state.cancelled = true;
      return [rpcNotice(state.rpc, AGENT_METHODS.session_cancel, { sessionId: state.sessionId })];
    },

    setModel: (model, state) => modelRequests(model, state, dialect, 'change'),
    setApprovalMode: (mode, state) => modeRequests(dialect.modes?.[mode], state, 'change'),
    close: (state) =>
      state.supports.close && state.sessionId !== null
        ? [rpcRequest(state.rpc, AGENT_METHODS.session_close, { sessionId: state.sessionId }, 'close')]
        : [],
  };
}

function decode(line: string, state: AcpState, dialect: AcpDialect, handlers: RpcHandlers<AcpState>): Decoded<string> {
  const message = readRpc(state.rpc, line);
  if (!message) return { events: [] };
  const denied = dialect.rejectionIsSilent ? state.deniedTools.splice(0).flatMap((id) => deniedTool(id, state)) : [];
  const rest = handleRpc(message, state, handlers);
  return denied.length > 0 ? { ...rest, events: [...denied, ...rest.events] } : rest;
}

function handlersFor(dialect: AcpDialect): RpcHandlers<AcpState> {
  return {
    reply: (purpose, result, state) => handleReply(purpose, result, state, dialect),
    failure: (purpose, error, state) => takeRefusal(purpose, error, state, dialect),
    request: (id, method, params, state) => {
      if (method === CLIENT_METHODS.session_request_permission) {
        return { events: permissionRequest(id, params, state, dialect) };
      }
      if (dialect.elicitation && method === CLIENT_METHODS.elicitation_create) {
        return { events: elicitation(id, params, state) };
      }
      return refuseRequest(state.rpc, id, method);
    },
    notice: (method, params, state) => {
      if (method === dialect.mcpReadyNotice) return noteMcpReady(state, dialect);
      if (method !== CLIENT_METHODS.session_update) {
        return { events: state.prompting ? (dialect.readNotice?.(method, params) ?? []) : [] };
      }
      return takeUpdate(params, state, dialect);
    },
  };
}

function takeUpdate(params: Json, state: AcpState, dialect: AcpDialect): Decoded<string> {
  const update = record(params.update);
  if (!state.started) return history(update, state, dialect);
  // Another session of the same process: a subagent's, or one that has ended. Its output is not the agent's own.
  const session = word(params.sessionId);
  if (session !== undefined && state.sessionId !== null && session !== state.sessionId) return { events: [] };
  const restarted: EventBody[] =
    state.inMessage && dialect.restartsMessage?.(params)
      ? [{ type: 'message_discard', reason: 'the agent repeats its request' }]
      : [];
  const events = [...restarted, ...decodeUpdate(update, state, dialect)];
  if (events.some(isFailure)) state.failed = true;
  return { events };
}

function handleReply(purpose: string, result: Json, state: AcpState, dialect: AcpDialect): Decoded<string> {
  switch (purpose) {
    case AGENT_METHODS.initialize:
      readCapabilities(result, state);
      if (dialect.authenticate === undefined) return openSession(state);
      return {
        events: [],
        replies: [rpcRequest(state.rpc, AGENT_METHODS.authenticate, { methodId: dialect.authenticate })],
      };
    case AGENT_METHODS.authenticate:
      return openSession(state);
    case 'open':
      return takeSession(result, state, dialect);
    case 'permission':
    case 'mode':
    case 'model':
    case 'setting':
      return takeSetting(purpose, result, state, dialect);
    case AGENT_METHODS.session_prompt:
      return { events: endPrompt(result, state, dialect) };
    default:
      return { events: [] };
  }
}

function takeRefusal(purpose: string, error: RpcError, state: AcpState, dialect: AcpDialect): Decoded<string> {
  const events = dialect.readError?.(error.message, error.code) ?? decodeFailure(error);
  if (purpose === AGENT_METHODS.session_prompt) {
    state.prompting = false;
    if (state.cancelled)
      return {
        events: [
          ...endMessage(state),
          { type: 'interrupted', by: 'caller' },
          { type: 'turn_end', status: 'interrupted' },
        ],
      };
    return { events: [...endMessage(state), ...events, { type: 'turn_end', status: 'failed' }] };
  }
  if (purpose === AGENT_METHODS.initialize) return { events: [...events, { type: 'turn_end', status: 'failed' }] };
  if (purpose === AGENT_METHODS.authenticate) {
    return {
      events: [
        { type: 'auth_error', message: error.message },
        { type: 'turn_end', status: 'failed' },
      ],
    };
  }
  if (purpose === 'open') {
    const id = state.open.resume ?? state.open.fork;
    const missing: EventBody = {
      type: 'error',
      code: 'SESSION_NOT_FOUND',
      message: `session ${id} cannot be opened: ${error.message}`,
      recoverable: false,
    };
    const auth = events.some(({ type }) => type === 'auth_error');
    return { events: [...(id !== null && !auth ? [missing] : events), { type: 'turn_end', status: 'failed' }] };
  }
  if (purpose === 'setting' || purpose === 'permission' || purpose === 'mode' || purpose === 'model')
    return refuseSetting(`the agent refused a session setting: ${error.message}`);
  if (purpose === 'change')
    return { events: [{ type: 'error', code: 'PROTOCOL_ERROR', message: error.message, recoverable: true }] };
  return { events: [] };
}

function readCapabilities(result: Json, state: AcpState): void {
  const capabilities = record(result.agentCapabilities);
  const session = record(capabilities.sessionCapabilities);
  state.agentVersion = word(record(result.agentInfo).version) ?? null;
  state.supports = {
    load: capabilities.loadSession === true,
    resume: isRecord(session.resume),
    fork: isRecord(session.fork),
    close: isRecord(session.close),
    image: record(capabilities.promptCapabilities).image === true,
  };
}

function openSession(state: AcpState): Decoded<string> {
  const { cwd, mcpServers, resume, fork, addDirs, meta } = state.open;
  const params: Json = {
    cwd,
    mcpServers,
    ...(addDirs.length > 0 ? { additionalDirectories: addDirs } : {}),
    ...(meta === null ? {} : { _meta: meta }),
  };
  if (fork !== null) {
    return {
      events: [],
      replies: [rpcRequest(state.rpc, UNSTABLE_METHODS.session_fork, { ...params, sessionId: fork }, 'open')],
    };
  }
  if (resume !== null) {
    const method = state.supports.resume ? AGENT_METHODS.session_resume : AGENT_METHODS.session_load;
    state.sessionId = resume;
    return { events: [], replies: [rpcRequest(state.rpc, method, { ...params, sessionId: resume }, 'open')] };
  }
  return { events: [], replies: [rpcRequest(state.rpc, AGENT_METHODS.session_new, params, 'open')] };
}

function takeSession(result: Json, state: AcpState, dialect: AcpDialect): Decoded<string> {
  state.sessionId = word(result.sessionId) ?? state.sessionId;
  readSettings(result, state);
  const { permissionOptions, configOptions, model } = state.open;
  const replies = [
    ...permissionOptions.map((option) => optionRequest(option, state, 'permission')),
    ...modeRequests(wantedMode(state, dialect), state, 'mode'),
    ...(model === null ? [] : modelRequests(model, state, dialect, 'model')),
    ...configOptions.map((option) => optionRequest(option, state, 'setting')),
  ];
  const isReplaying = state.open.resume !== null && dialect.replayEndsWith !== undefined && !state.replayEnded;
  state.opened = true;
  const awaitsMcp = state.open.mcpNames.length > 0 && dialect.mcpReadyNotice !== undefined && !state.mcpReady;
  state.settings = replies.length + (isReplaying ? 1 : 0) + (awaitsMcp ? 1 : 0);
  return state.settings > 0 ? { events: [], replies } : { events: [startSession(state, dialect)] };
}

/** The answer to a setting lists all current options, or nothing, in which case the setting took effect as sent. */
function takeSetting(purpose: string, result: Json, state: AcpState, dialect: AcpDialect): Decoded<string> {
  if (purpose === 'mode') state.mode = wantedMode(state, dialect) ?? state.mode;
  if (purpose === 'model') state.model = state.open.model;
  readSettings(result, state);
  const ignored = state.open.permissionOptions.find(
    ({ configId, value }) => purpose === 'permission' && (state.permissions[configId] ?? value) !== value,
  );
  // Permissions that did not change are those of the previous user of the session.
  if (ignored) return refuseSetting(`the agent did not set ${ignored.configId} to ${ignored.value}`);
  return countSetting(state, dialect);
}

/** A requested option must take effect: failing is better than running with other permissions or another model. */
function refuseSetting(message: string): Decoded<string> {
  return {
    events: [
      { type: 'error', code: 'PROTOCOL_ERROR', message, recoverable: false },
      { type: 'turn_end', status: 'failed' },
    ],
  };
}

function wantedMode(state: AcpState, dialect: AcpDialect): string | undefined {
  return state.open.nativeMode ?? dialect.modes?.[state.open.approvalMode];
}

/** Details the agent reports when it opens a session, answers a setting, or sends an update. */
function readSettings(from: Json, state: AcpState): void {
  const option = (name: string) => {
    const found = records(from.configOptions).find(({ id, category }) => id === name || category === name);
    return word(found?.currentValue);
  };
  state.model = word(record(from.models).currentModelId) ?? option('model') ?? state.model;
  state.mode = word(record(from.modes).currentModeId) ?? word(from.currentModeId) ?? option('mode') ?? state.mode;
  for (const { configId } of state.open.permissionOptions) {
    const value = option(configId);
    if (value !== undefined) state.permissions[configId] = value;
  }
}

/** Awaited like a setting if the session has MCP servers. */
function noteMcpReady(state: AcpState, dialect: AcpDialect): Decoded<string> {
  if (state.mcpReady || state.open.mcpNames.length === 0) return { events: [] };
  state.mcpReady = true;
  return state.opened ? countSetting(state, dialect) : { events: [] };
}

function countSetting(state: AcpState, dialect: AcpDialect): Decoded<string> {
  state.settings -= 1;
  return { events: state.settings === 0 ? [startSession(state, dialect)] : [] };
}

function startSession(state: AcpState, dialect: AcpDialect): EventBody {
  state.started = true;
  // Set by a launch flag, and the agent does not report it.
  state.model ??= state.open.model;
  const permissionMode = dialect.modesArePermissions === false ? '' : permissionModeOf(state);
  return {
    type: 'session_start',
    ...(state.sessionId === null ? {} : { sessionId: state.sessionId }),
    ...(state.model === null ? {} : { model: state.model }),
    cwd: state.open.cwd,
    ...(permissionMode === '' ? {} : { permissionMode }),
    ...(state.agentVersion === null ? {} : { agentVersion: state.agentVersion }),
  };
}

/** The agent's mode, with the permission options it keeps next to it. */
function permissionModeOf({ mode, permissions }: AcpState): string {
  const options = Object.entries(permissions).map(([id, value]) => `${id}=${value}`);
  return [...(mode === null ? [] : [mode]), ...options].join(' ');
}

function optionRequest(option: { configId: string; value: string }, state: AcpState, purpose: string): string {
  const params = { sessionId: state.sessionId, ...option };
  return rpcRequest(state.rpc, AGENT_METHODS.session_set_config_option, params, purpose);
}

function modeRequests(modeId: string | undefined, state: AcpState, purpose: string): string[] {
  if (modeId === undefined) return [];
  return [rpcRequest(state.rpc, AGENT_METHODS.session_set_mode, { sessionId: state.sessionId, modeId }, purpose)];
}

function modelRequests(model: string, state: AcpState, dialect: AcpDialect, purpose: string): string[] {
  if (!dialect.model) return [];
  if (dialect.model.by === 'set_model')
    return [
      rpcRequest(
        state.rpc,
        UNSTABLE_METHODS.session_set_model,
        { sessionId: state.sessionId, modelId: model },
        purpose,
      ),
    ];
  return [optionRequest({ configId: dialect.model.configId, value: model }, state, purpose)];
}

/** Replayed history is not shown as new; where it outlives the load, its end is awaited as one more setting. */
function history(update: Json, state: AcpState, dialect: AcpDialect): Decoded<string> {
  if (state.opened) readSettings(update, state);
  if (state.replayEnded || !dialect.replayEndsWith?.(update)) return { events: [] };
  state.replayEnded = true;
  return state.opened ? countSetting(state, dialect) : { events: [] };
}

/** Reported as prose: the agent then ends its turn as if nothing had happened. */
function isFailure({ type }: EventBody): boolean {
  return type === 'auth_error' || type === 'error' || type === 'rate_limit_error' || type === 'context_exceeded';
}

function promptBlocks(input: TurnInput): Json[] {
  const files = input.attachments.map((file): Json => {
    if (file.base64 !== undefined) return { type: 'image', mimeType: file.mimeType, data: file.base64 };
    return { type: 'resource_link', uri: `file://${encodeURI(file.path)}`, name: file.name, mimeType: file.mimeType };
  });
  return [{ type: 'text', text: input.text }, ...files];
}
