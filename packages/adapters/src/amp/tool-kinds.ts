import type { ToolKindTable } from '@agent-mux/core';

/** The tools of Amp; its subagents may do anything. */
export const TOOL_KINDS: ToolKindTable = {
  Bash: 'execute',
  create_file: 'edit',
  edit_file: 'edit',
  undo_edit: 'edit',
  format_file: 'edit',
  Read: 'read',
  look_at: 'read',
  get_diagnostics: 'read',
  list_directory: 'read',
  Grep: 'search',
  glob: 'search',
  web_search: 'fetch',
  read_web_page: 'fetch',
  todo_write: 'think',
  todo_read: 'think',
  mermaid: 'think',
  'mcp__*': 'mcp',
};
