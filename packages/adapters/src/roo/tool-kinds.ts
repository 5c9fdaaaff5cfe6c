import type { ToolKindTable } from '@agent-mux/core';

/** The tools of Roo Code. */
export const TOOL_KINDS: ToolKindTable = {
  execute_command: 'execute',
  write_to_file: 'edit',
  apply_diff: 'edit',
  insert_content: 'edit',
  search_and_replace: 'edit',
  edit_file: 'edit',
  apply_patch: 'edit',
  read_file: 'read',
  list_files: 'read',
  list_code_definition_names: 'read',
  fetch_instructions: 'read',
  read_command_output: 'read',
  search_files: 'search',
  codebase_search: 'search',
  update_todo_list: 'think',
  use_mcp_tool: 'mcp',
  access_mcp_resource: 'mcp',
  'mcp--*': 'mcp',
};
