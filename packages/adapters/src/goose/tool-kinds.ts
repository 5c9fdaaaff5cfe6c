import type { ToolKindTable } from '@agent-mux/core';

/** The tools of goose 1.34: those of the extension `developer` have no prefix, all others that of their extension. */
export const TOOL_KINDS: ToolKindTable = {
  shell: 'execute',
  developer__shell: 'execute',
  write: 'edit',
  edit: 'edit',
  text_editor: 'edit',
  developer__write: 'edit',
  developer__edit: 'edit',
  developer__text_editor: 'edit',
  tree: 'read',
  analyze: 'read',
  developer__tree: 'read',
  developer__analyze: 'read',
  extensionmanager__search_available_extensions: 'read',
  apps__list_apps: 'read',
  todo__todo_write: 'think',
  '*__*': 'mcp',
  delegate: 'other',
  load: 'other',
  load_skill: 'other',
  apps__create_app: 'other',
  apps__delete_app: 'other',
  apps__iterate_app: 'other',
  extensionmanager__manage_extensions: 'other',
};
