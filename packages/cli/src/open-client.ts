import type { ConfiguredClient } from '@agent-mux/adapters';
import type { AdapterProblem, ConfigFault } from '@agent-mux/core';
import { type Given, isOn } from './command.ts';
import { paint } from './screen/paint.ts';
import { oneLine } from './screen/plain.ts';

/** The client of a command. Faults of the configuration files are said and do not stop it: the rest of them counts. */
export async function openClient(
  given: Given,
  options: { cwd?: string; listsProblems?: boolean } = {},
): Promise<ConfiguredClient> {
  const { createConfiguredClient } = await import('@agent-mux/adapters');
  const { AMUX_TRUST_PROJECT } = process.env;
  const trustProject = isOn(given, 'trust-project') || AMUX_TRUST_PROJECT === '1';
  const { listsProblems = false, ...where } = options;
  const client = createConfiguredClient({ ...where, trustProject });
  const { yellow } = paint(process.stderr);
  for (const fault of client.configFaults) process.stderr.write(`${yellow('amux:')} ${faultLine(fault)}\n`);
  if (!listsProblems) {
    for (const problem of client.adapterProblems) process.stderr.write(`${yellow('amux:')} ${problemLine(problem)}\n`);
  }
  return client;
}

export function problemLine(problem: AdapterProblem): string {
  return `${faultLine(problem)}; ${oneLine(problem.hint, 1000)}`;
}

function faultLine({ file, line, column, field, problem }: ConfigFault): string {
  return oneLine(`${file}:${line}:${column}: ${field ? `${field} ` : ''}${problem}`, 1000);
}
