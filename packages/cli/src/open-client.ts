import type { ConfiguredClient } from '@agent-mux/adapters';
import type { ConfigFault } from '@agent-mux/core';
import { type Given, isOn } from './command.ts';
import { paint } from './screen/paint.ts';
import { oneLine } from './screen/plain.ts';

/** The client of a command. Faults of the configuration files are said and do not stop it: the rest of them counts. */
export async function openClient(given: Given, options: { cwd?: string } = {}): Promise<ConfiguredClient> {
  const { createConfiguredClient } = await import('@agent-mux/adapters');
  const { AMUX_TRUST_PROJECT } = process.env;
  const trustProject = isOn(given, 'trust-project') || AMUX_TRUST_PROJECT === '1';
  const client = createConfiguredClient({ ...options, trustProject });
  const { yellow } = paint(process.stderr);
  for (const fault of client.configFaults) process.stderr.write(`${yellow('amux:')} ${faultLine(fault)}\n`);
  return client;
}

function faultLine({ file, line, column, field, problem }: ConfigFault): string {
  return oneLine(`${file}:${line}:${column}: ${field ? `${field} ` : ''}${problem}`, 1000);
}
