import type { ToolKindTable } from '@agent-mux/core';

/** The tools of pi 0.87. */
export const TOOL_KINDS: ToolKindTable = {
  bash: 'execute',
  powershell: 'execute',
  edit: 'edit',
  write: 'edit',
  read: 'read',
  ls: 'read',
  grep: 'search',
  find: 'search',
  ask_user: 'other',
};
