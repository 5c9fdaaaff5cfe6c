import type { HttpCall, HttpMessage } from '@agent-mux/core';
import type { Peer } from '@agent-mux/testkit/contract-suite';

type Json = Record<string, unknown>;

/** The agent never answers before the first turn: everything is sent at once. */
export const silentPeer: Peer = () => [];

const ACP_RESULTS: Readonly<Record<string, Json>> = {
  initialize: {
    protocolVersion: 1,
    agentInfo: { name: 'contract', version: '1.0.0' },
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: { resume: {}, fork: {}, close: {} },
      promptCapabilities: { image: true },
    },
  },
  'session/new': { sessionId: 'acp-session' },
  'session/fork': { sessionId: 'acp-fork' },
};

const COMMANDS_KNOWN = JSON.stringify({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 'acp-session', update: { sessionUpdate: 'available_commands_update', availableCommands: [] } },
});

/** Opens any session and accepts any setting; a prompt is not answered, so the turn stays open. */
export const acpPeer: Peer = (said) => {
  const { id, method } = JSON.parse(said);
  if (id === undefined || method === undefined || method === 'session/prompt') return [];
  const reply = JSON.stringify({ jsonrpc: '2.0', id, result: ACP_RESULTS[method] ?? {} });
  return method === 'session/load' || method === 'session/resume' ? [reply, COMMANDS_KNOWN] : [reply];
};

const THREAD = { thread: { id: 'codex-thread' }, model: 'gpt-contract', approvalPolicy: 'untrusted' };
const CODEX_RESULTS: Readonly<Record<string, Json>> = {
  initialize: { userAgent: 'agent-mux/0.166.0 (Linux; x86_64)' },
  'thread/start': THREAD,
  'thread/resume': THREAD,
  'thread/fork': THREAD,
  'turn/start': { turn: { id: 'codex-turn' } },
};

export const codexPeer: Peer = (said) => {
  const { id, method } = JSON.parse(said);
  return id === undefined || method === undefined ? [] : [JSON.stringify({ id, result: CODEX_RESULTS[method] ?? {} })];
};

const DROID_RESULTS: Readonly<Record<string, Json>> = {
  'droid.initialize_session': { sessionId: 'droid-session', settings: { modelId: 'droid-model' } },
  'droid.fork_session': { newSessionId: 'droid-fork' },
};

export const droidPeer: Peer = (said) => {
  const { id, type, method } = JSON.parse(said);
  if (type !== 'request') return [];
  return [JSON.stringify({ jsonrpc: '2.0', type: 'response', id, result: DROID_RESULTS[method] ?? {} })];
};

export const piPeer: Peer = (said) => {
  const { id, type } = JSON.parse(said);
  const data = { sessionId: '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90', model: { id: 'pi-model', provider: 'contract' } };
  const reply = { id, type: 'response', command: type, success: true };
  return [JSON.stringify(type === 'get_state' ? { ...reply, data } : reply)];
};

const SESSION = { id: 'ses_contract', title: 'contract', permission: [] };
const RULES = [{ permission: '*', pattern: '*', action: 'allow' }];
const FAMILY_REPLIES: Readonly<Record<string, unknown>> = {
  health: { healthy: true, version: '1.0.0' },
  agents: ['build', 'code', 'plan'].map((name) => ({ name, permission: RULES })),
  create: SESSION,
  find: SESSION,
  fork: SESSION,
  history: [],
  mcp: {},
};

export const familyPeer: Peer<HttpCall, HttpMessage> = ({ tag, path }) => {
  const body = path.startsWith('/session/status') ? {} : (FAMILY_REPLIES[tag] ?? true);
  return [{ kind: 'reply', tag, status: 200, body, headers: {} }];
};
