import type { AcpDialect } from '../acp/dialect.ts';
import { entryOf, type Json, record, text } from '../shared/json.ts';
import { readCopilotError, readCopilotProse } from './errors.ts';

/** Mode ids are URLs in `copilot --acp` 1.0.102. */
const MODE = 'https://agentclientprotocol.com/protocol/session-modes#';

export const COPILOT_ACP: AcpDialect = {
  modes: {
    prompt: `${MODE}agent`,
    'accept-edits': `${MODE}agent`,
    deny: `${MODE}agent`,
    plan: `${MODE}plan`,
    yolo: `${MODE}agent`,
  },
  // It is stored with the session (1.0.102), so a resumed one keeps it until it is switched off.
  permissionOptions: ({ approvalMode, nativePermissionMode }) => [
    { configId: 'allow_all', value: approvalMode === 'yolo' && !nativePermissionMode ? 'on' : 'off' },
  ],
  // The total of the session in this process.
  usage: 'session',
  readProse: readCopilotProse,
  toolName: (update: Json) =>
    entryOf(TOOL_NAMES, text(update.kind) ?? '') ?? (update.kind === 'other' ? text(update.title) : undefined),
  toolFailed: (output) => /<shellId: \S+ completed with exit code [1-9]\d*>\s*$/.test(output),
  mcpTool: (name, servers) => {
    const server = servers.find((candidate) => name.startsWith(`${candidate}-`));
    return server === undefined ? undefined : { server, tool: name.slice(server.length + 1) };
  },
  readError: (message, code) => [readCopilotError(message, code === null || code < 100 ? null : code)],
  toolInput: (update: Json) => (Object.keys(record(update.rawInput)).length > 0 ? update.rawInput : undefined),
};

/** An update has a kind and a title but no name; these are the names of the tools with such a kind. */
const TOOL_NAMES: Readonly<Record<string, string>> = { execute: 'bash', read: 'view' };
