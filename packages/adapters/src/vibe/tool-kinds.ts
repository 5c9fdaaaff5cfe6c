import type { ToolKindTable } from '@agent-mux/core';

/** The tools of Mistral Vibe. */
export const TOOL_KINDS: ToolKindTable = {
  bash: 'execute',
  write_file: 'edit',
  search_replace: 'edit',
  read_file: 'read',
  grep: 'search',
  todo: 'think',
};
