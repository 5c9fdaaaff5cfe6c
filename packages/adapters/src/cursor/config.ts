import type { AgentConfigSchema } from '@agent-mux/core';
import { commonMcpEntry, readCommonMcpEntry } from '../shared/mcp-servers.ts';

/** The file of a project may hold permissions only. The CLI itself adds missing settings to the user's file. */
export const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'cursor',
  fields: [
    {
      name: 'permissionsAllow',
      type: 'array',
      description: 'Allowed without asking, such as Shell(ls) or Read(src/**)',
      nativePath: 'permissions.allow',
    },
    {
      name: 'permissionsDeny',
      type: 'array',
      description: 'Always refused; wins over allow',
      nativePath: 'permissions.deny',
    },
    {
      name: 'vimMode',
      type: 'boolean',
      description: "Vim keys in the terminal; in the user's file only",
      nativePath: 'editor.vimMode',
    },
    {
      name: 'maxMode',
      type: 'boolean',
      description: "Max mode of the models that have one; in the user's file only",
    },
    {
      name: 'notifications',
      type: 'boolean',
      description: "A notification when the agent is done or asks; in the user's file only",
    },
    { name: 'channel', type: 'string', description: "Release channel of updates; in the user's file only" },
  ],
  configFilePaths: ['{CURSOR_CONFIG_DIR:-~/.cursor}/cli-config.json'],
  projectConfigFilePaths: ['.cursor/cli.json'],
  format: 'json',
  // The editor's own files.
  mcp: {
    globalFile: '~/.cursor/mcp.json',
    projectFile: '.cursor/mcp.json',
    key: 'mcpServers',
    encode: commonMcpEntry,
    decode: readCommonMcpEntry,
  },
};
