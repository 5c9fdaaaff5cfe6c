import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentQuery,
  BaseAgentAdapter,
  type CommandOutput,
  type EventBody,
  type ExtensionFolders,
  type InstalledPlugin,
  NO_CAPABILITIES,
  type PluginSpec,
  type SpawnArgs,
} from '@agent-mux/core';

/**
 * An agent whose CLI stores plugins in a file: list, add, drop, find; `add broken` fails, `add nothing` only claims
 * success.
 */
const CLI = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const file = process.env.HOME + '/plugins.json';
const plugins = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
const [action, id] = process.argv.slice(2);
const save = (all) => writeFileSync(file, JSON.stringify(all));
if (action === 'list') console.log(JSON.stringify(plugins));
else if (action === 'find') console.log(JSON.stringify([{ id: id + '-one' }, { id: id + '-two' }]));
else if (action === 'add' && id === 'broken') {
  for (let n = 0; n < 30; n += 1) console.error('line ' + n + ' api_key=sk-abcdefgh12345678');
  process.exit(3);
} else if (action === 'add') {
  const name = id.split('/').at(-1);
  console.log('fetching ' + id + ' in ' + process.cwd());
  if (id !== 'nothing') save([...plugins, { id: name + '@market', enabled: true, format: 'extension' }]);
} else if (action === 'drop' && id !== 'sticky') {
  if (!plugins.some((each) => each.id.startsWith(id))) { console.error('no such plugin'); process.exit(1); }
  save(plugins.filter((each) => !each.id.startsWith(id)));
}
`;

export class PluginAdapter extends BaseAgentAdapter {
  readonly agent: string;
  readonly displayName: string;
  readonly cliCommand: string;
  override readonly capabilities = NO_CAPABILITIES;
  override readonly plugins?: PluginSpec;
  override readonly extensionFolders?: ExtensionFolders;

  constructor(
    agent: string,
    {
      folder,
      plugins = true,
      extensionFolders,
    }: { folder: string; plugins?: boolean; extensionFolders?: ExtensionFolders },
  ) {
    super();
    this.agent = agent;
    this.displayName = `The ${agent}`;
    this.cliCommand = join(folder, agent);
    writeFileSync(this.cliCommand, CLI);
    chmodSync(this.cliCommand, 0o755);
    if (plugins) this.plugins = FACET;
    if (extensionFolders) this.extensionFolders = extensionFolders;
  }

  buildSpawnArgs(): SpawnArgs {
    throw new Error('it is never run');
  }

  parseEvent(): EventBody | null {
    return null;
  }
}

const FACET: PluginSpec = {
  formats: ['extension'],
  registries: [{ name: 'market', searchable: true }],
  list: query(['list']),
  install: (id) => ({ args: ['add', id] }),
  uninstall: (id) => ({ args: ['drop', id] }),
  search: (text) => query(['find', text]),
};

function query(args: string[]): AgentQuery<InstalledPlugin[]> {
  return { args, parse: ({ stdout }: CommandOutput) => JSON.parse(stdout) };
}
