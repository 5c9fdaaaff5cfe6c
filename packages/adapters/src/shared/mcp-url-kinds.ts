import type { McpServer } from '@agent-mux/core';
import { type Json, word } from './json.ts';
import { commonMcpEntry, namedTexts, readCommonMcpEntry } from './mcp-servers.ts';

/**
 * The format of Gemini CLI and its forks, where the name of the field determines the transport: `httpUrl`, or `url` for
 * SSE.
 */
export function urlKindEntry(server: McpServer): Json {
  if (!('url' in server)) return commonMcpEntry(server);
  const { type, url, headers } = server;
  return { [type === 'sse' ? 'url' : 'httpUrl']: url, ...(headers && { headers }) };
}

/** Later versions of Gemini CLI write `url` with a `type`. */
export function readUrlKindEntry(entry: Json): McpServer | null {
  const url = word(entry.httpUrl);
  if (!url) return readCommonMcpEntry(entry.type === undefined ? { ...entry, type: 'sse' } : entry);
  const headers = namedTexts(entry.headers);
  return { type: 'http', url, ...(headers && { headers }) };
}
