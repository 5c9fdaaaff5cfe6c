import type { ToolKind, ToolKindTable } from '@agent-mux/core';
import { record } from '../shared/json.ts';

/**
 * The tools of omp 18.2. `lsp` also renames and applies fixes, `debug` runs what it debugs. See also `kindOfOmpCall`
 * for those that work on files.
 */
export const TOOL_KINDS: ToolKindTable = {
  bash: 'execute',
  eval: 'execute',
  debug: 'execute',
  ssh: 'execute',
  browser: 'execute',
  computer: 'execute',
  github: 'execute',
  edit: 'edit',
  write: 'edit',
  ast_edit: 'edit',
  lsp: 'edit',
  memory_edit: 'edit',
  retain: 'edit',
  learn: 'edit',
  manage_skill: 'edit',
  read: 'read',
  recall: 'read',
  grep: 'search',
  glob: 'search',
  ast_grep: 'search',
  web_search: 'fetch',
  todo: 'think',
  think: 'think',
  goal: 'think',
  reflect: 'think',
  context_notes: 'think',
  'mcp__*': 'mcp',
  task: 'other',
  hub: 'other',
  ask: 'other',
  ask_user: 'other',
};

/**
 * A path may be a URL: then a read uses the network, and a write to `xd://<tool>` is the input of a tool that runs.
 */
export function kindOfOmpCall(toolName: string, input: unknown): ToolKind | undefined {
  const { path } = record(input);
  const isAddress =
    typeof path === 'string' && /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.|[\w.-]+:\d+\/)/i.test(path.trimStart());
  if (!isAddress) return undefined;
  return TOOL_KINDS[toolName] === 'edit' ? 'execute' : 'fetch';
}
