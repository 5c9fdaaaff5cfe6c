import type { CommandOutput, ExtensionFolders, InstalledPlugin, PluginSpec } from '@agent-mux/core';
import { installExtension, uninstallExtension } from '../shared/agent-extensions.ts';
import { type Json, record, records, word } from '../shared/json.ts';
import { GEMINI_HOME } from './home.ts';

export const PLUGINS: PluginSpec = {
  formats: ['extension', 'skill-directory', 'mcp-server'],
  list: { args: ['extensions', 'list', '--output-format=json'], parse: (output) => listIn(output).map(readInstalled) },
  // Settings that an extension asks for are left open: they can be answered only in a terminal. The CLI asks about an
  // untrusted folder in spite of `--consent`, and waits on a closed stdin (0.61.0). To trust a folder is the user's
  // decision: the answer is no, which the CLI then reports.
  install: (source, options) => ({
    ...installExtension('gemini', source, { ...options, flags: ['--skip-settings'] }),
    stdin: 'n\n',
  }),
  uninstall: uninstallExtension,
};

/** Subagents of a project are offered once the user has agreed to them in a terminal. */
export const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${GEMINI_HOME}/skills`, project: '.gemini/skills' },
  subagents: { global: `${GEMINI_HOME}/agents`, project: '.gemini/agents' },
};

/** 0.61.0 prints the list on stderr, after warnings. */
function listIn({ stdout, stderr }: CommandOutput): Json[] {
  const text = /^\[(?:\]|$)[\s\S]*/m.exec(`${stdout}\n${stderr}`)?.[0];
  if (text === undefined) throw new Error('no list of extensions');
  return records(JSON.parse(text));
}

function readInstalled(entry: Json): InstalledPlugin {
  return {
    id: word(entry.name) ?? '',
    version: word(entry.version),
    enabled: entry.isActive === true,
    format: 'extension',
    source: word(record(entry.installMetadata).source),
  };
}
