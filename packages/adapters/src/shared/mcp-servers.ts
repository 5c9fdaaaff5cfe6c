import type { McpServer } from '@agent-mux/core';
import { isRecord, type Json, texts, word } from './json.ts';

/** The strings of an object, such as `env` and `headers`; undefined if there are none. */
export function namedTexts(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A tool that its agent names `<server>__<tool>`. Undefined: a built-in tool. */
export function splitToolName(name: string, servers: readonly string[]): { server: string; tool: string } | undefined {
  const server = servers.find((candidate) => name.startsWith(`${candidate}__`));
  return server === undefined ? undefined : { server, tool: name.slice(server.length + 2) };
}

/** The format that most agents share: a command with its arguments, or the address of a server with its headers. */
export function commonMcpEntry(server: McpServer): Json {
  if ('url' in server)
    return { type: server.type, url: server.url, ...(server.headers && { headers: server.headers }) };
  const { command, args = [], env } = server;
  return { command, args, ...(env && { env }) };
}

/** `type` is optional. Null: neither a command nor an address. */
export function readCommonMcpEntry(entry: Json): McpServer | null {
  const url = word(entry.url);
  if (url) {
    const headers = namedTexts(entry.headers);
    return { type: entry.type === 'sse' ? 'sse' : 'http', url, ...(headers && { headers }) };
  }
  const command = word(entry.command);
  if (!command) return null;
  const env = namedTexts(entry.env);
  return { command, args: texts(entry.args), ...(env && { env }) };
}

/** The same for agents that detect the transport of an address. */
export function untypedMcpEntry(server: McpServer): Json {
  const { type: _, ...entry } = commonMcpEntry(server);
  return entry;
}
