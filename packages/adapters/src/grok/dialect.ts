import type { EventBody, ResolvedRunOptions, TokenUsage } from '@agent-mux/core';
import type { AcpDialect } from '../acp/dialect.ts';
import { amount, isRecord, type Json, number, record, word } from '../shared/json.ts';
import { retryEvent } from './errors.ts';

/** `grok agent stdio` 1.0.41. It has no session modes: permissions are set at its start and by answers. */
export const GROK_ACP: AcpDialect = {
  model: { by: 'config', configId: 'model' },
  usage: 'turn',
  readUsage: (result) => usageOf(record(record(result._meta).usage)),
  // An alias of its configuration is the model name in one field, its target in another.
  readUsedModel: (result) => {
    const used = Object.keys(record(record(record(result._meta).usage).modelUsage));
    return used.length === 1 ? word(used[0]) : undefined;
  },
  sessionMeta,
  toolName,
  toolInput,
  mcpTool: (name, servers) => {
    const server = servers.find((candidate) => name.startsWith(`${candidate}__`));
    return server === undefined ? undefined : { server, tool: name.slice(server.length + 2) };
  },
  mcpReadyNotice: '_x.ai/mcp_initialized',
  readNotice,
  // Pieces of the broken answer may come after the notice of the retry.
  restartsMessage: ({ _meta }) => record(_meta).chunkId === 1,
};

/** Every tool of an MCP server is called through this one. */
const MCP_TOOL = 'use_tool';

export function toolName(update: Json): string | undefined {
  const { name } = toolOf(update);
  return (name === MCP_TOOL ? word(record(update.rawInput).tool_name) : undefined) ?? word(name);
}

/** That of the wrapped tool; undefined: the input is its own. */
export function toolInput(update: Json): unknown {
  return isRecord(update.rawInput) && toolOf(update).name === MCP_TOOL ? update.rawInput.tool_input : undefined;
}

function readNotice(method: string, params: Json): EventBody[] {
  const update = record(params.update);
  if (method !== '_x.ai/session_notification' || update.sessionUpdate !== 'retry_state') return [];
  if (update.type !== 'retrying') return [];
  return [
    retryEvent(word(update.reason) ?? 'the request failed', number(update.attempt) ?? 1, number(update.max_retries)),
  ];
}

function toolOf(update: Json): Json {
  return record(record(update._meta)['x.ai/tool']);
}

/** A user's configuration may approve everything, unless the session overrides it. */
function sessionMeta({ approvalMode, systemPrompt, systemPromptMode }: ResolvedRunOptions): Json {
  const prompt = systemPromptMode === 'replace' ? 'systemPromptOverride' : 'rules';
  return {
    yoloMode: approvalMode === 'yolo',
    autoMode: false,
    ...(systemPrompt === undefined ? {} : { [prompt]: systemPrompt }),
  };
}

/** Input includes cached tokens. */
export function usageOf(usage: Json): TokenUsage | null {
  if (!isRecord(usage) || number(usage.outputTokens) === undefined) return null;
  const count = (name: string) => amount(usage[name]) ?? null;
  return {
    inputTokens: count('inputTokens'),
    outputTokens: count('outputTokens'),
    cacheReadTokens: count('cachedReadTokens'),
    cacheCreationTokens: null,
    totalTokens: count('totalTokens'),
  };
}
