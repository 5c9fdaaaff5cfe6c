import { type McpServer, type ResolvedRunOptions, ValidationError } from '@agent-mux/core';
import type { Json } from '../shared/json.ts';

/**
 * Without it Codex waits for an unreachable provider without end ("Reconnecting... waiting for network"); with it, it
 * makes five attempts and the turn fails (seen with 0.166).
 */
export const BOUNDED_RETRIES = 'features.unbounded_connection_retries=false';

/** Settings that a run overrides, by dotted names of config.toml: the other settings there stay. */
export function configOverrides(options: ResolvedRunOptions): Json {
  const servers = Object.entries(options.mcpServers ?? {});
  const overrides: Json = {
    ...Object.fromEntries(servers.map(([name, server]) => [`mcp_servers.${name}`, mcpServer(server)])),
    ...(options.addDirs?.length ? { 'sandbox_workspace_write.writable_roots': [...options.addDirs] } : {}),
    ...(options.thinkingEffort ? { model_reasoning_effort: options.thinkingEffort } : {}),
    ...options.thinkingOverride,
  };
  return Object.fromEntries(Object.entries(overrides).map(([key, value]) => [settingKey(key), value]));
}

/** In `-c key=value` the key ends at the first `=`: a key that contains it would be another setting. */
function settingKey(key: string): string {
  if (/^\w[\w-]*(?:\.\w[\w-]*)*$/.test(key)) return key;
  const field = key.startsWith('mcp_servers.') ? 'mcpServers' : 'thinkingOverride';
  throw new ValidationError('run options', [{ field, problem: `"${key}" is not a dotted name of a Codex setting` }]);
}

export function mcpServer(server: McpServer): Json {
  if ('url' in server) return { url: server.url, ...(server.headers ? { http_headers: server.headers } : {}) };
  return {
    command: server.command,
    args: server.args ?? [],
    ...(server.env ? { env: server.env } : {}),
  };
}
