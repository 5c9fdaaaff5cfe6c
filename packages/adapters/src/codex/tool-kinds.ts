import type { ToolKindTable } from '@agent-mux/core';

/** The tools of codex 0.166. Each call reports the effect of a patch on its files. */
export const TOOL_KINDS: ToolKindTable = {
  exec_command: 'execute',
  write_stdin: 'execute',
  shell: 'execute',
  shell_command: 'execute',
  local_shell: 'execute',
  apply_patch: 'edit',
  view_image: 'read',
  web_search: 'fetch',
  update_plan: 'think',
  get_goal: 'think',
  create_goal: 'think',
  update_goal: 'think',
  list_mcp_resources: 'mcp',
  list_mcp_resource_templates: 'mcp',
  read_mcp_resource: 'mcp',
  image_generation: 'other',
  request_user_input: 'other',
  request_permissions: 'other',
  spawn_agent: 'other',
  send_input: 'other',
  resume_agent: 'other',
  wait: 'other',
  wait_agent: 'other',
  close_agent: 'other',
};
