import type { ToolKindTable } from '@agent-mux/core';

/** The tools of Droid 0.215; those of MCP servers are `<server>___<tool>`. */
export const TOOL_KINDS: ToolKindTable = {
  Execute: 'execute',
  TaskStop: 'execute',
  Create: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  ApplyPatch: 'edit',
  Read: 'read',
  LS: 'read',
  TaskOutput: 'read',
  ToolSearch: 'read',
  Grep: 'search',
  Glob: 'search',
  WebSearch: 'fetch',
  FetchUrl: 'fetch',
  TodoWrite: 'think',
  '*___*': 'mcp',
  Task: 'other',
  Skill: 'other',
  AskUser: 'other',
  ExitSpecMode: 'other',
  GenerateImage: 'other',
};
