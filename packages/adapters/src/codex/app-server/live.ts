import type { ApprovalMode, LiveCodec, ResolvedRunOptions, StdioLive, TurnInput } from '@agent-mux/core';
import { rpcRequest } from '../../jsonrpc/index.ts';
import { CLIENT_INFO } from '../../shared/client-info.ts';
import type { Json } from '../../shared/json.ts';
import { promptText } from '../../shared/prompt.ts';
import { skillFolder } from '../../shared/skill-folder.ts';
import { configOverrides } from '../config.ts';
import { permissionsFor, permissionsOf, sandboxPolicy } from '../permissions.ts';
import { answerLines } from './approvals.ts';
import { decodeAppServer } from './decode.ts';
import { type AppServerState, openState } from './state.ts';
import { interruptLine, steerLine } from './turn-requests.ts';

/** `codex app-server`: JSON-RPC without the `jsonrpc` field, one process, here one thread. */
export function appServerLive(): StdioLive {
  return { transport: 'stdio', codec: appServerCodec(), waitForSession: true };
}

export function appServerCodec(): LiveCodec<AppServerState> {
  return {
    open: openThread,

    handshake: (state) => [rpcRequest(state.rpc, 'initialize', { clientInfo: CLIENT_INFO })],

    turn: (input, state) => {
      state.turn = 'asked';
      state.turnId = null;
      state.interruptDue = false;
      state.interrupted = false;
      state.failed = false;
      state.retries = 0;
      const changes = state.nextTurn;
      state.nextTurn = {};
      const params = { threadId: state.threadId, input: userInput(input), ...state.everyTurn, ...changes };
      return [rpcRequest(state.rpc, 'turn/start', params)];
    },

    decode: (line, state) => decodeAppServer(line, state),
    resolve: (request, answer, state) => answerLines(request, answer, state),

    interrupt: (state) => {
      state.interrupted = true;
      if (state.turnId === null) {
        state.interruptDue = true;
        return [];
      }
      return [interruptLine(state)];
    },

    steer: (input, state) => {
      if (state.turnId === null) {
        state.steersDue.push(userInput(input));
        return [];
      }
      return [steerLine(userInput(input), state)];
    },

    // Takes effect with the next turn, as Codex has no request for it; requests until then are decided by the new mode.
    setModel: (model, state) => {
      state.nextTurn.model = model;
      state.model = model;
      return [];
    },
    setApprovalMode: (mode, state) => {
      state.approvalMode = mode;
      Object.assign(state.nextTurn, turnPermissions(mode, state));
      return [];
    },
  };
}

function turnPermissions(mode: ApprovalMode, state: AppServerState): Json {
  const { approvalPolicy, sandbox } = permissionsFor(mode);
  return {
    approvalPolicy,
    ...(sandbox === null ? {} : { sandboxPolicy: sandboxPolicy(sandbox, state.open.addDirs) }),
  };
}

/** All settings are sent again when a thread is resumed: it does not keep those of its last run. */
function openThread(options: ResolvedRunOptions): AppServerState {
  const { cwd, model } = options;
  const { approvalPolicy, sandbox } = permissionsOf(options);
  const config = configOverrides(options);
  const params: Json = {
    cwd,
    ...(model ? { model } : {}),
    ...(approvalPolicy === null ? {} : { approvalPolicy }),
    ...(sandbox === null ? {} : { sandbox }),
    ...instructions(options),
    ...(Object.keys(config).length > 0 ? { config } : {}),
  };
  const open = { cwd, addDirs: [...(options.addDirs ?? [])], skillRoots: (options.skills ?? []).map(skillFolder) };
  const everyTurn: Json = {
    ...(options.thinkingEffort && options.thinkingOverride?.model_reasoning_effort === undefined
      ? { effort: options.thinkingEffort }
      : {}),
    ...(options.outputSchema ? { outputSchema: options.outputSchema } : {}),
  };
  const begin = (method: string, more: Json) =>
    openState({ method, params: { ...params, ...more }, ...open }, everyTurn, options.approvalMode);
  if (options.forkSessionId) {
    return begin('thread/fork', { threadId: options.forkSessionId, excludeTurns: true });
  }
  if (options.sessionId) return begin('thread/resume', { threadId: options.sessionId, excludeTurns: true });
  return begin('thread/start', options.noSession ? { ephemeral: true } : {});
}

function instructions({ systemPrompt, systemPromptMode }: ResolvedRunOptions): Json {
  if (!systemPrompt || systemPromptMode === 'prepend') return {};
  return systemPromptMode === 'replace' ? { baseInstructions: systemPrompt } : { developerInstructions: systemPrompt };
}

function userInput(input: TurnInput): Json[] {
  const images = input.attachments.flatMap(({ mimeType, base64 }): Json[] =>
    base64 === undefined ? [] : [{ type: 'image', url: `data:${mimeType};base64,${base64}` }],
  );
  return [{ type: 'text', text: promptText(input.text, input.attachments), text_elements: [] }, ...images];
}
