import type { Decoded, EventBody, PlanEntry, RateLimitWindow } from '@agent-mux/core';
import { decodeRpc, type RpcError, type RpcHandlers, rpcNotice, rpcRequest } from '../../jsonrpc/index.ts';
import {
  amount,
  entryOf,
  isRecord,
  type Json,
  number,
  record,
  records,
  setEntry,
  text,
  word,
} from '../../shared/json.ts';
import { readCodexFailure, readTurnError, retriesForever, retryEvent } from '../errors.ts';
import {
  closeMessage,
  closeThinking,
  decodeItemEnd,
  decodeItemStart,
  messageDelta,
  thinkingDelta,
  thinkingPart,
} from '../items.ts';
import { subagentNotice } from '../subagents.ts';
import { requestCost } from '../usage.ts';
import { serverRequest } from './approvals.ts';
import type { AppServerState } from './state.ts';
import { interruptLine, steerLine } from './turn-requests.ts';

const NOTHING: Decoded<string> = { events: [] };

/** One line of `codex app-server`. */
export function decodeAppServer(line: string, state: AppServerState): Decoded<string> {
  return decodeRpc(line, state, HANDLERS);
}

const HANDLERS: RpcHandlers<AppServerState> = {
  reply: handleReply,
  failure: takeRefusal,
  request: serverRequest,
  notice: decodeNotice,
};

function handleReply(purpose: string, result: Json, state: AppServerState): Decoded<string> {
  switch (purpose) {
    case 'initialize': {
      // `agent-mux/0.166.0 (Debian 12; x86_64) ...`
      state.agentVersion = /\/(\d+\.\d+\.\d+\S*)/.exec(text(result.userAgent) ?? '')?.[1] ?? null;
      const { method, params, skillRoots } = state.open;
      const skills = { extraRoots: skillRoots };
      return {
        events: [],
        replies: [
          rpcNotice(state.rpc, 'initialized'),
          ...(skillRoots.length > 0 ? [rpcRequest(state.rpc, 'skills/extraRoots/set', skills, 'skills')] : []),
          rpcRequest(state.rpc, method, params, 'open'),
        ],
      };
    }
    case 'open':
      return { events: openSession(result, state) };
    case 'turn/start':
      return { events: [], replies: enterTurn(word(record(result.turn).id), state) };
    default:
      return NOTHING;
  }
}

function openSession(result: Json, state: AppServerState): EventBody[] {
  const thread = record(result.thread);
  state.threadId = word(thread.id) ?? null;
  state.model = word(result.model) ?? null;
  return [
    {
      type: 'session_start',
      ...(state.threadId === null ? {} : { sessionId: state.threadId }),
      ...(state.model === null ? {} : { model: state.model }),
      cwd: text(result.cwd) ?? state.open.cwd,
      ...(state.agentVersion === null ? {} : { agentVersion: state.agentVersion }),
      ...(typeof result.approvalPolicy === 'string' ? { permissionMode: result.approvalPolicy } : {}),
    },
  ];
}

/** The turn has an id now: send what was waiting for it. */
function enterTurn(turnId: string | undefined, state: AppServerState): string[] {
  if (turnId === undefined || state.turn !== 'asked') return [];
  state.turnId = turnId;
  state.turn = 'running';
  const steers = state.steersDue.splice(0).map((input) => steerLine(input, state));
  if (!state.interruptDue) return steers;
  state.interruptDue = false;
  return [...steers, interruptLine(state)];
}

function takeRefusal(purpose: string, error: RpcError, state: AppServerState): Decoded<string> {
  const failure = readCodexFailure({ text: error.message });
  switch (purpose) {
    case 'initialize':
    case 'skills':
      return { events: [failure, { type: 'turn_end', status: 'failed' }] };
    case 'open': {
      const id = word(state.open.params.threadId);
      const missing: EventBody = {
        type: 'error',
        code: 'SESSION_NOT_FOUND',
        message: `session ${id} cannot be opened: ${error.message}`,
        recoverable: false,
      };
      const unknown = failure.type === 'error' && failure.code !== 'SESSION_NOT_FOUND' && !id;
      return { events: [id && !unknown ? missing : failure, { type: 'turn_end', status: 'failed' }] };
    }
    case 'turn/start':
      return { events: endTurn('failed', state, [failure]) };
    default:
      // An interrupt or steering input that came too late: the turn had ended.
      return {
        events: [{ type: 'debug', level: 'warn', code: 'codex_refused', message: `${purpose}: ${error.message}` }],
      };
  }
}

function decodeNotice(method: string, params: Json, state: AppServerState): Decoded<string> {
  const thread = text(params.threadId);
  if (thread !== undefined && state.threadId !== null && thread !== state.threadId) {
    return { events: subagentNotice(method, thread, params, state) };
  }
  switch (method) {
    case 'turn/started':
      return { events: [], replies: enterTurn(word(record(params.turn).id), state) };
    case 'turn/completed':
      return { events: completeTurn(record(params.turn), state) };
    case 'item/started':
      return { events: startItem(record(params.item), state) };
    case 'item/completed':
      delete state.patches[text(record(params.item).id) ?? ''];
      return { events: decodeItemEnd(record(params.item), state) };
    case 'error':
      return failureEvents(params, state);
    default:
      return { events: entryOf(NOTICES, method)?.(params, state) ?? [] };
  }
}

const NOTICES: Readonly<Record<string, (params: Json, state: AppServerState) => EventBody[]>> = {
  'item/agentMessage/delta': messageDelta,
  'item/plan/delta': messageDelta,
  'item/reasoning/summaryTextDelta': thinkingDelta,
  'item/reasoning/textDelta': thinkingDelta,
  'item/reasoning/summaryPartAdded': thinkingPart,
  'item/commandExecution/outputDelta': (params, state) => {
    const toolCallId = text(params.itemId) ?? '';
    return entryOf(state.tools, toolCallId)
      ? [{ type: 'tool_output_delta', toolCallId, delta: text(params.delta) ?? '' }]
      : [];
  },
  'thread/tokenUsage/updated': (params, state) => {
    const usage = record(params.tokenUsage);
    // A resumed thread reports the count of its last turn again.
    if (!isRecord(usage.last) || state.turnId === null || params.turnId !== state.turnId) return [];
    const usedTokens = amount(usage.last.totalTokens);
    const maxTokens = amount(usage.modelContextWindow) ?? null;
    return [
      requestCost(usage.last, state.model),
      ...(usedTokens === undefined ? [] : [{ type: 'context_usage' as const, usedTokens, maxTokens }]),
    ];
  },
  'account/rateLimits/updated': (params, state) => rateLimits(record(params.rateLimits), state),
  'turn/plan/updated': (params) => [{ type: 'plan_update', entries: records(params.plan).map(planEntry) }],
  'thread/name/updated': (params) => {
    const title = word(params.threadName);
    return title ? [{ type: 'title', title }] : [];
  },
  'model/rerouted': (params, state) => {
    state.model = word(params.toModel) ?? state.model;
    return [];
  },
  warning: (params) => [
    { type: 'debug', level: 'warn', code: 'codex_warning', message: text(params.message) ?? 'a warning' },
  ],
};

function startItem(item: Json, state: AppServerState): EventBody[] {
  if (item.type === 'fileChange') setEntry(state.patches, text(item.id) ?? '', records(item.changes));
  return decodeItemStart(item, state);
}

/** Codex reports a failure twice: here, and with the end of the turn. */
function failureEvents(params: Json, state: AppServerState): Decoded<string> {
  const failure = readTurnError(params.error);
  if (params.willRetry !== true) {
    if (state.turn === 'none' || state.failed) return NOTHING;
    state.failed = true;
    return { events: [limitReset(readCodexFailure(failure), state)] };
  }
  if (retriesForever(failure)) {
    const replies = state.turnId === null ? [] : [interruptLine(state)];
    return { events: endTurn('failed', state, [readCodexFailure(failure)]), replies };
  }
  const event = limitReset(retryEvent(failure, state.retries), state);
  state.retries += 1;
  return { events: [...discardMessage(failure.text, state), event] };
}

/** The request is repeated from its start, under a new item. */
function discardMessage(reason: string, state: AppServerState): EventBody[] {
  const discarded: EventBody[] = state.message?.streamed ? [{ type: 'message_discard', reason }] : [];
  return [...closeThinking(state), ...discarded, ...closeMessage(state)];
}

function limitReset(event: EventBody, state: AppServerState): EventBody {
  if (event.type !== 'rate_limit_error' || state.limitResetsAt === null) return event;
  return { ...event, resetsAt: state.limitResetsAt };
}

function completeTurn(turn: Json, state: AppServerState): EventBody[] {
  const id = word(turn.id);
  // The end of a turn that we have ended ourselves.
  if (state.turn === 'none' || (id !== undefined && state.turnId !== null && id !== state.turnId)) return [];
  switch (turn.status) {
    case 'completed':
      return endTurn('completed', state);
    case 'interrupted':
      return endTurn('interrupted', state, [{ type: 'interrupted', by: state.interrupted ? 'caller' : 'agent' }]);
    default:
      return endTurn(
        'failed',
        state,
        state.failed ? [] : [limitReset(readCodexFailure(readTurnError(turn.error)), state)],
      );
  }
}

function endTurn(
  status: 'completed' | 'interrupted' | 'failed',
  state: AppServerState,
  before: readonly EventBody[] = [],
): EventBody[] {
  state.turn = 'none';
  state.turnId = null;
  state.steersDue = [];
  state.tools = {};
  state.patches = {};
  state.denied = [];
  return [...closeThinking(state), ...closeMessage(state), ...before, { type: 'turn_end', status }];
}

/** All null with a custom provider; emitted again only after a change. */
function rateLimits(snapshot: Json, state: AppServerState): EventBody[] {
  const windows = ['primary', 'secondary'].flatMap((name): RateLimitWindow[] => {
    const limit = snapshot[name];
    if (!isRecord(limit)) return [];
    const usedPercent = number(limit.usedPercent) ?? null;
    const resets = number(limit.resetsAt);
    return [
      {
        window: name,
        usedPercent,
        resetsAt: resets === undefined ? null : resets * 1000,
        exhausted: usedPercent !== null && usedPercent >= 100,
      },
    ];
  });
  const limited = word(snapshot.rateLimitReachedType) !== undefined || windows.some(({ exhausted }) => exhausted);
  const fingerprint = JSON.stringify([limited, windows]);
  if ((windows.length === 0 && !limited) || fingerprint === state.limits) return [];
  state.limits = fingerprint;
  state.limitResetsAt = windows.find(({ exhausted }) => exhausted)?.resetsAt ?? null;
  return [{ type: 'rate_limit_status', limited, windows }];
}

const PLAN_STATUS: Readonly<Record<string, PlanEntry['status']>> = {
  inProgress: 'in_progress',
  completed: 'completed',
};

function planEntry(entry: Json): PlanEntry {
  return { content: text(entry.step) ?? '', status: entryOf(PLAN_STATUS, text(entry.status) ?? '') ?? 'pending' };
}
