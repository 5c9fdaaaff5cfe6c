import type { ToolKindTable } from '@agent-mux/core';

/** The names of `<name>ToolCall`, and those under `function`. */
export const TOOL_KINDS: ToolKindTable = {
  shell: 'execute',
  edit: 'edit',
  write: 'edit',
  delete: 'delete',
  read: 'read',
  ls: 'read',
  readLints: 'read',
  grep: 'search',
  glob: 'search',
  semSearch: 'search',
  webSearch: 'fetch',
  webFetch: 'fetch',
  fetch: 'fetch',
  updateTodos: 'think',
  readTodos: 'think',
  createPlan: 'think',
  mcp: 'mcp',
  listMcpResources: 'mcp',
  readMcpResource: 'mcp',
};
