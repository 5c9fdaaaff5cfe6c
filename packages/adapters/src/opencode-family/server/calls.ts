import type { HttpCall, TurnInput } from '@agent-mux/core';
import type { FamilyDialect } from '../dialect.ts';
import type { FamilyState } from './state.ts';

/** The tags of calls; a reply is handled by its tag. */
export type Tag =
  | 'health'
  | 'agents'
  | 'create'
  | 'find'
  | 'fork'
  | 'rules'
  | 'new-rules'
  | 'history'
  | 'events'
  | 'mcp'
  | 'mcp-names'
  | 'providers'
  | 'mcp-add'
  | 'prompt'
  | 'status'
  | 'other';

const MAX_STARTUP_MS = 120_000;

export function call(tag: Tag, method: string, path: string, state: FamilyState, body?: unknown): HttpCall {
  const separator = path.includes('?') ? '&' : '?';
  return {
    tag,
    method,
    path: `${path}${separator}directory=${encodeURIComponent(state.directory)}`,
    ...(body === undefined ? {} : { body }),
    // The first request in a folder starts everything that belongs to it.
    timeoutMs: MAX_STARTUP_MS,
  };
}

export function sessionCall(tag: Tag, method: string, rest: string, state: FamilyState, body?: unknown): HttpCall {
  return call(tag, method, `/session/${encodeURIComponent(state.sessionId ?? '')}${rest}`, state, body);
}

export function promptCall(input: TurnInput, state: FamilyState, { promptDefaults }: FamilyDialect): HttpCall {
  const { model, variant, system, agentName, outputSchema } = state;
  return sessionCall('prompt', 'POST', '/prompt_async', state, {
    ...promptDefaults,
    parts: [{ type: 'text', text: input.text }, ...input.attachments.map(filePart)],
    ...(model ? { model } : {}),
    ...(variant ? { variant } : {}),
    ...(system ? { system } : {}),
    ...(agentName ? { agent: agentName } : {}),
    ...(outputSchema ? { format: { type: 'json_schema', schema: outputSchema } } : {}),
  });
}

/** Images are sent by value; the server itself reads the text of any other file. */
function filePart({ path, name, mimeType, base64 }: TurnInput['attachments'][number]): Record<string, string> {
  if (base64 !== undefined) {
    return { type: 'file', mime: mimeType, filename: name, url: `data:${mimeType};base64,${base64}` };
  }
  const mime = mimeType.startsWith('text/') || mimeType === 'application/pdf' ? mimeType : 'text/plain';
  return { type: 'file', mime, filename: name, url: `file://${encodeURI(path)}` };
}

export function abortCall(state: FamilyState): HttpCall {
  return sessionCall('other', 'POST', '/abort', state);
}

/** The servers of all sessions of the folder. */
export function mcpNamesCall(state: FamilyState): HttpCall {
  return call('mcp-names', 'GET', '/mcp', state);
}

/** Resolves when the server is connected, or has failed to. */
export function mcpAddCall(name: string, config: unknown, state: FamilyState): HttpCall {
  return call('mcp-add', 'POST', '/mcp', state, { name, config });
}

/** A server cannot be removed: it stays as a name without a process. */
export function mcpEndCall(name: string, state: FamilyState): HttpCall {
  return call('other', 'POST', `/mcp/${encodeURIComponent(name)}/disconnect`, state);
}

/** The events of the session's own folder. */
export function eventsCall(state: FamilyState): HttpCall {
  const { timeoutMs: _none, ...stream } = call('events', 'GET', '/event', state);
  return { ...stream, headers: { accept: 'text/event-stream' }, response: 'stream' };
}
