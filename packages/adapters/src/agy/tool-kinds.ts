import type { ToolKindTable } from '@agent-mux/core';

/** The tools of Antigravity. */
export const TOOL_KINDS: ToolKindTable = {
  run_command: 'execute',
  send_command_input: 'execute',
  write_to_file: 'edit',
  replace_file_content: 'edit',
  multi_replace_file_content: 'edit',
  view_file: 'read',
  list_dir: 'read',
  command_status: 'read',
  grep_search: 'search',
  find_by_name: 'search',
  search_web: 'fetch',
  read_url_content: 'fetch',
};
