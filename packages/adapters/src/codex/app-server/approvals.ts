import { isAbsolute, relative } from 'node:path';
import type { ApprovalOption, Decoded, EventBody, PendingRequest, Question, RequestAnswer } from '@agent-mux/core';
import { refuseRequest, rpcReply } from '../../jsonrpc/index.ts';
import {
  addBounded,
  entryOf,
  isRecord,
  type Json,
  record,
  records,
  setEntry,
  text,
  texts,
  word,
} from '../../shared/json.ts';
import { kindOfChanges } from '../items.ts';
import type { AppServerState, OpenRequest } from './state.ts';
import { steerLine } from './turn-requests.ts';

type ApprovalRequest = Extract<EventBody, { type: 'approval_request' }>;
type Asked = Pick<ApprovalRequest, 'toolName' | 'title' | 'input' | 'kind' | 'elevated'> & {
  options: readonly ApprovalOption[];
};

/** The ids are Codex's own. `decline` works though it is not among the `availableDecisions` (seen with 0.166). */
const DECISIONS: readonly ApprovalOption[] = [
  { id: 'accept', label: 'Yes, this once', kind: 'allow_once' },
  { id: 'acceptForSession', label: 'Yes, and the same again in this session', kind: 'allow_always' },
  { id: 'decline', label: 'No, continue without it', kind: 'deny_once' },
  { id: 'cancel', label: 'No, and stop the turn', kind: 'deny_once' },
];
/**
 * Fields that only Codex needs: its ids, how it parsed the command, and the rule that a Codex answer would add, which
 * is never given here.
 */
const ENVELOPE: ReadonlySet<string> = new Set([
  'threadId',
  'turnId',
  'itemId',
  'startedAtMs',
  'availableDecisions',
  'commandActions',
  'proposedExecpolicyAmendment',
]);
/** Fields that matter only with another value. */
const USUAL: Readonly<Record<string, string>> = { environmentId: 'local', kind: 'command' };
const PERMISSION_DECISIONS: readonly ApprovalOption[] = [
  { id: 'turn', label: 'Yes, for this turn', kind: 'allow_once' },
  { id: 'session', label: 'Yes, for this session', kind: 'allow_always' },
  { id: 'decline', label: 'No', kind: 'deny_once' },
];

/** Requests of the app-server: its ids start at 0 and are unrelated to ours. */
export function serverRequest(
  rpcId: number | string,
  method: string,
  params: Json,
  state: AppServerState,
): Decoded<string> {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return ask(rpcId, 'decision', params, command(params), state);
    case 'item/fileChange/requestApproval':
      return fileChange(rpcId, params, state);
    case 'item/permissions/requestApproval':
      return ask(rpcId, 'permissions', params, permissions(params), state);
    case 'mcpServer/elicitation/request':
      return elicitation(rpcId, params, state);
    case 'item/tool/requestUserInput':
      return questions(rpcId, params, state);
    default:
      return refuseRequest(state.rpc, rpcId, method);
  }
}

export function answerLines(request: PendingRequest, answer: RequestAnswer, state: AppServerState): string[] {
  const open = entryOf(state.requests, request.requestId);
  if (!open) return [];
  delete state.requests[request.requestId];
  return [...reasonLines(answer, state), rpcReply(state.rpc, open.rpcId, answerOf(open, answer, state))];
}

/**
 * An answer has no field for a reason: it is steered into the running turn, before the answer, so that the model's next
 * request has both. An answer that stops the turn needs none.
 */
function reasonLines(answer: RequestAnswer, state: AppServerState): string[] {
  if (answer.kind !== 'approval' || answer.answer.decision !== 'deny' || state.turnId === null) return [];
  const { message, optionId } = answer.answer;
  if (!message || optionId === 'cancel') return [];
  return [steerLine([{ type: 'text', text: `I did not allow this: ${message}`, text_elements: [] }], state)];
}

function answerOf(open: OpenRequest, answer: RequestAnswer, state: AppServerState): Json {
  if (open.kind === 'questions') return { answers: questionAnswers(answer) };
  const chosen = answer.kind === 'approval' ? decisionOf(answer.answer, open) : 'cancel';
  if (answer.kind === 'approval' && answer.answer.decision === 'deny' && open.toolCallId !== null) {
    addBounded(state.denied, open.toolCallId);
  }
  if (open.kind === 'permissions') {
    const granted = chosen === 'turn' || chosen === 'session';
    return { permissions: granted ? open.permissions : {}, scope: chosen === 'session' ? 'session' : 'turn' };
  }
  if (open.kind === 'elicitation') {
    if (chosen === 'acceptForSession') return { action: 'accept', content: {}, _meta: { persist: 'session' } };
    return { action: chosen, content: chosen === 'accept' ? {} : null, _meta: null };
  }
  return { decision: chosen };
}

function decisionOf(answer: { decision: 'allow' | 'deny'; optionId?: string }, open: OpenRequest): string {
  if (answer.optionId !== undefined) return answer.optionId;
  if (answer.decision === 'deny') return 'decline';
  return open.kind === 'permissions' ? 'turn' : 'accept';
}

function questionAnswers(answer: RequestAnswer): Json {
  if (answer.kind !== 'input' || 'declined' in answer.answer) return {};
  return Object.fromEntries(Object.entries(answer.answer.answers).map(([id, answers]) => [id, { answers }]));
}

function ask(
  rpcId: number | string,
  kind: OpenRequest['kind'],
  params: Json,
  asked: Asked,
  state: AppServerState,
): Decoded<string> {
  const requestId = String(rpcId);
  const toolCallId = ownCall(params, state);
  const wanted = isRecord(params.permissions) ? params.permissions : null;
  setEntry(state.requests, requestId, { rpcId, kind, toolCallId, permissions: wanted });
  const { options, ...rest } = asked;
  return {
    events: [
      {
        type: 'approval_request',
        requestId,
        ...rest,
        ...(toolCallId === null ? {} : { toolCallId }),
        options: [...options],
      },
    ],
  };
}

/** A call of a subagent was not announced. */
function ownCall(params: Json, state: AppServerState): string | null {
  const id = word(params.itemId);
  return id && entryOf(state.tools, id) ? id : null;
}

function command(params: Json): Asked {
  const line = text(params.command) ?? '';
  const network = isRecord(params.networkApprovalContext);
  const { host } = record(params.networkApprovalContext);
  const why = word(params.reason);
  const what = params.kind === 'writeStdin' ? `Write to a running command: ${line}` : `Run: ${line}`;
  return {
    toolName: params.kind === 'writeStdin' ? 'write_stdin' : 'exec_command',
    title: why ? `${what} (${why})` : what,
    input: { command: line, cwd: params.cwd ?? null, ...wantedOf(params) },
    // Also set if the command asks for network access.
    kind: 'execute',
    options: decisions(network ? `any connection to ${word(host) ?? 'this host'}` : 'this command'),
  };
}

/** Everything the request says about its effect: where, why, with which further permissions, under which new rules. */
function wantedOf(params: Json): Json {
  return Object.fromEntries(
    Object.entries(params).filter(
      ([name, value]) => !ENVELOPE.has(name) && value !== null && value !== undefined && entryOf(USUAL, name) !== value,
    ),
  );
}

/** Names what is allowed for the rest of the session. */
function decisions(again: string): ApprovalOption[] {
  return DECISIONS.map((option) =>
    option.id === 'acceptForSession' ? { ...option, label: `Yes, and ${again} again in this session` } : option,
  );
}

/** The request names only the item; its changes were reported when it started. */
function fileChange(rpcId: number | string, params: Json, state: AppServerState): Decoded<string> {
  const changes = entryOf(state.patches, text(params.itemId) ?? '') ?? [];
  const paths = patchPaths(changes);
  const root = word(params.grantRoot);
  const inside = paths.length > 0 && paths.every((path) => isInside(path, [state.open.cwd, ...state.open.addDirs]));
  // The policy that asks before commands asks before patches too: here they are already allowed.
  if (state.approvalMode === 'accept-edits' && inside && !root) {
    return { events: [], replies: [rpcReply(state.rpc, rpcId, { decision: 'accept' })] };
  }
  const why = word(params.reason);
  const asked: Asked = {
    toolName: 'apply_patch',
    title: `Change ${paths.join(', ') || 'files'}${why ? ` (${why})` : ''}`,
    input: { paths, changes: changes.map(readableChange), ...wantedOf(params) },
    kind: kindOfChanges(changes),
    // Outside the folders of the run no mode allows it without asking.
    ...(inside && !root ? {} : { elevated: true }),
    options: decisions(root ? `any change below ${root}` : 'changes of these files'),
  };
  return ask(rpcId, 'decision', params, asked, state);
}

/** For an added or deleted file Codex sends its whole text as `diff`; only an update is a real diff. */
function readableChange({ kind, diff, ...change }: Json): Json {
  const { type, move_path: moved } = record(kind);
  if (type === 'add') return { ...change, content: diff };
  if (type === 'delete') return { ...change, oldText: diff, newText: '' };
  return { ...change, ...(moved === null || moved === undefined ? {} : { move_path: moved }), diff };
}

function isInside(path: string, folders: readonly string[]): boolean {
  if (!isAbsolute(path)) return false;
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way !== '' && !way.startsWith('..') && !isAbsolute(way);
  });
}

function permissions(params: Json): Asked {
  return {
    toolName: 'request_permissions',
    title: word(params.reason) ?? 'Further permissions',
    input: wantedOf(params),
    kind: 'other',
    elevated: true,
    options: PERMISSION_DECISIONS,
  };
}

/** MCP tools are requested as an elicitation without a form. */
function elicitation(rpcId: number | string, params: Json, state: AppServerState): Decoded<string> {
  const meta = record(params._meta);
  if (meta.codex_approval_kind !== 'mcp_tool_call') {
    // A form or a page of the server to fill in: not supported here.
    const decline = { action: 'decline', content: null, _meta: null };
    return { events: [], replies: [rpcReply(state.rpc, rpcId, decline)] };
  }
  const server = text(params.serverName) ?? '';
  const call = Object.entries(state.tools).findLast(([, { mcpServer }]) => mcpServer === server);
  const asked: Asked = {
    toolName: call?.[1].name ?? server,
    title: text(params.message) ?? `Use the MCP server ${server}`,
    input: meta.tool_params ?? null,
    kind: 'mcp',
    options: decisions('this tool'),
  };
  return ask(rpcId, 'elicitation', call ? { ...params, itemId: call[0] } : params, asked, state);
}

function questions(rpcId: number | string, params: Json, state: AppServerState): Decoded<string> {
  const requestId = String(rpcId);
  setEntry(state.requests, requestId, { rpcId, kind: 'questions', toolCallId: null, permissions: null });
  const asked = records(params.questions).map((question): Question => {
    const header = word(question.header);
    return {
      id: text(question.id) ?? '',
      question: text(question.question) ?? '',
      ...(header ? { header } : {}),
      options: records(question.options).map((option) => ({
        label: text(option.label) ?? '',
        ...(word(option.description) ? { description: text(option.description) } : {}),
      })),
      multiple: false,
      freeText: question.isOther !== false,
    };
  });
  return { events: [{ type: 'input_required', requestId, questions: asked }] };
}

function patchPaths(changes: readonly Json[]): string[] {
  return changes.flatMap((change) => {
    const moved = word(record(change.kind).move_path);
    return [...texts([change.path]), ...(moved ? [moved] : [])];
  });
}
