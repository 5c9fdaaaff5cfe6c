import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { AgentAuth, InstalledAgentInfo, InstallMethod } from '@agent-mux/core';
import { LOGIN } from '../agents/agent-table.ts';
import { endOnInterrupt } from '../agents/end-on-interrupt.ts';
import { type Command, hasFlag, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { withProgress } from '../screen/progress.ts';
import { table } from '../screen/table.ts';

export interface Detected extends InstalledAgentInfo {
  displayName: string;
  install: InstallMethod[];
  login: readonly string[];
  auth: Omit<AgentAuth, 'agent'>;
}

export const detect: Command = {
  usage: 'amux detect [agent] [--json]',
  description:
    'Shows what amux knows about an agent on this machine: path, version, login and model. Changes\n' + 'nothing.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux detect claude', about: 'Show one agent; exits 4 if it is not installed' },
    { command: 'amux detect --json', about: 'Print all agents as JSON' },
  ],
  maxArgs: 1,
  async run(options) {
    const client = await openClient(options);
    const hasEnded = endOnInterrupt(client);
    const [agent] = options.positionals;
    const found = await withProgress('detecting', async () =>
      agent === undefined ? client.adapters.installed() : [await detectOne(client, agent)],
    );
    const all = await Promise.all(found.map((info) => withInstructions(client, info)));
    await client.close();
    if (hasEnded()) return EXIT.aborted;
    if (hasFlag(options, 'json')) printJson<'detect'>(agent === undefined || !all[0] ? { agents: all } : all[0]);
    else print(all.map(describe).join('\n\n'));
    return agent !== undefined && found[0]?.installed === false ? EXIT.notInstalled : EXIT.ok;
  },
};

async function detectOne(client: ConfiguredClient, agent: string): Promise<InstalledAgentInfo> {
  client.adapterNamed(agent);
  const info = await client.adapters.detect(agent);
  if (info) return info;
  throw new Error(`agent ${agent} disappeared`);
}

async function withInstructions(client: ConfiguredClient, info: InstalledAgentInfo): Promise<Detected> {
  const adapter = client.adapters.get(info.agent);
  const { agent: _, ...auth } = await client.auth.check(info.agent);
  return {
    ...info,
    displayName: adapter.displayName,
    install: info.installed ? [] : client.adapters.installInstructions(info.agent),
    login: info.authState === 'authenticated' ? [] : adapter.getAuthGuidance().steps,
    auth,
  };
}

function describe(info: Detected): string {
  const { bold, green, yellow, dim } = paint(process.stdout);
  const rows: string[][] = [['  installed', info.installed ? 'yes' : 'no']];
  if (info.cliPath) rows.push(['  command', info.cliPath]);
  if (info.installed) {
    const least = info.minVersion && !info.meetsMinVersion ? ` (${info.minVersion} or later required)` : '';
    if (info.version !== null || least) rows.push(['  version', `${info.version ?? 'unknown'}${least}`]);
    const { method, identity } = info.auth;
    const how = [method === 'none' ? undefined : method, identity].filter(Boolean).join(', ');
    rows.push(['  logged in', how ? `${LOGIN[info.authState]} (${how})` : LOGIN[info.authState]]);
    if (info.activeModel) rows.push(['  model', info.activeModel]);
    for (const step of info.login) rows.push(['  to log in', step]);
  }
  for (const { command, notes } of info.install) rows.push(['  to install', command || (notes ?? '')]);
  const mark = info.installed ? green('✓') : yellow('✗');
  // Commands are meant to be copied, so they are never truncated.
  const body = table(rows, (cell, _, column) => (column === 0 ? dim(cell) : cell), { keep: [0, 1], width: Infinity });
  return `${mark} ${bold(info.displayName)} ${dim(`(${info.agent})`)}\n${body}`;
}
