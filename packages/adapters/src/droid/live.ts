import type { LiveCodec, McpServer, ResolvedRunOptions, StdioLive, TurnInput } from '@agent-mux/core';
import { rpcRequest } from '../jsonrpc/index.ts';
import type { Json } from '../shared/json.ts';
import { promptText } from '../shared/prompt.ts';
import { decodeDroid } from './decode.ts';
import { modeSettings } from './permissions.ts';
import { answerLines } from './requests.ts';
import { type DroidState, openState } from './state.ts';

export function jsonRpcLive(): StdioLive {
  return { transport: 'stdio', codec: jsonRpcCodec(), waitForSession: true };
}

/** `droid exec` with JSON-RPC on stdio; flags for the model and permissions have no effect there. */
export function jsonRpcCodec(): LiveCodec<DroidState> {
  return {
    open: (options) => openState(options, sessionParams(options)),

    handshake: (state) => {
      const { load, params, settings, cwd } = state;
      if (load !== null) {
        // It returns its messages; the last one is enough.
        return [rpcRequest(state.rpc, 'droid.load_session', { ...params, sessionId: load, messageLimit: 1 }, 'load')];
      }
      const all = { machineId: 'agent-mux', cwd, ...params, ...settings };
      return [rpcRequest(state.rpc, 'droid.initialize_session', all, 'new')];
    },

    turn: (input, state) => {
      state.interrupted = false;
      state.failure = null;
      return [userMessage(input, 'turn', state)];
    },

    decode: (line, state) => decodeDroid(line, state),
    resolve: (request, answer, state) => answerLines(request, answer, state),

    interrupt: (state) => {
      state.interrupted = true;
      return [rpcRequest(state.rpc, 'droid.interrupt_session', {}, 'interrupt')];
    },

    steer: (input, state) => {
      const purpose = `steer ${state.rpc.nextId}`;
      state.steers.push(purpose);
      return [userMessage(input, purpose, state)];
    },

    setModel: (model, state) => [update({ modelId: model, ...state.effort }, 'model', state)],
    setApprovalMode: (mode, state) => {
      state.approvalMode = mode;
      // When it leaves spec mode, Droid chooses the effort itself.
      return [update({ ...modeSettings(mode, state.named), ...state.effort }, 'approval mode', state)];
    },
  };
}

function update(settings: Json, purpose: string, state: DroidState): string {
  return rpcRequest(state.rpc, 'droid.update_session_settings', settings, purpose);
}

function userMessage(input: TurnInput, purpose: string, state: DroidState): string {
  const images = input.attachments.flatMap(({ mimeType, base64 }): Json[] =>
    base64 === undefined ? [] : [{ type: 'base64', mediaType: mimeType, data: base64 }],
  );
  const params = {
    text: promptText(input.text, input.attachments),
    ...(images.length > 0 ? { images } : {}),
    ...(state.outputFormat ? { outputFormat: state.outputFormat } : {}),
  };
  return rpcRequest(state.rpc, 'droid.add_user_message', params, purpose);
}

function sessionParams(options: ResolvedRunOptions): Json {
  const { mcpServers = {}, systemPrompt, systemPromptMode, sessionId, forkSessionId } = options;
  const servers = Object.entries(mcpServers);
  const isNew = !sessionId && !forkSessionId;
  return {
    // Without it the first turn may start before the tools of the servers are known.
    ...(servers.length > 0 ? { mcpServers: servers.map(mcpServer), ...(isNew ? { blockOnMcpLoad: true } : {}) } : {}),
    ...(isNew && systemPrompt && systemPromptMode === 'replace' ? { systemPrompt } : {}),
  };
}

function mcpServer([name, server]: [string, McpServer]): Json {
  if ('url' in server) {
    const headers = Object.entries(server.headers ?? {}).map(([header, value]) => ({ name: header, value }));
    return { type: server.type, name, url: server.url, headers };
  }
  return { name, command: server.command, args: server.args ?? [], env: server.env ?? {} };
}
