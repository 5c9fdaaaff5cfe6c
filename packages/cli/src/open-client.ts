import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { AdapterProblem, ConfigFault } from '@agent-mux/core';
import { type Given, isOn } from './command.ts';
import { paint } from './screen/paint.ts';
import { toOneLine } from './screen/plain.ts';

interface Opening {
  cwd?: string;
  listsProblems?: boolean;
  listsFaults?: boolean;
  /** The command asks every agent something, not those alone that it names. */
  asksAll?: boolean;
  /** Which rules answer approvals; default: all. */
  rules?: 'all' | 'tighten' | 'none';
}

/** The client of a command. Faults of the configuration files are said and do not stop it: the rest of them counts. */
export async function openClient(
  given: Given,
  { listsProblems = false, listsFaults = false, asksAll = false, ...where }: Opening = {},
): Promise<ConfiguredClient> {
  const { createConfiguredClient, loadTogether } = await import('@agent-mux/adapters/client');
  const { AMUX_TRUST_PROJECT } = process.env;
  const trustProject = isOn(given, 'trust-project') || AMUX_TRUST_PROJECT === '1';
  if (asksAll) loadTogether();
  const client = createConfiguredClient({ ...where, trustProject });
  const { yellow } = paint(process.stderr);
  if (!listsFaults) reportFaults(client.configFaults);
  if (!listsProblems) {
    for (const problem of client.adapterProblems) process.stderr.write(`${yellow('amux:')} ${problemLine(problem)}\n`);
  }
  return client;
}

/** What is wrong in configuration files, with its line; the rest of them counts. */
export function reportFaults(faults: readonly ConfigFault[]): void {
  const { yellow } = paint(process.stderr);
  for (const fault of faults) process.stderr.write(`${yellow('amux:')} ${faultLine(fault)}\n`);
}

/** The client for one piece of work; closed when that is over. */
export async function withClient(
  given: Given,
  work: (client: ConfiguredClient) => number | Promise<number>,
  opening: Opening = {},
): Promise<number> {
  const client = await openClient(given, opening);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

export function problemLine(problem: AdapterProblem): string {
  return `${faultLine(problem)}; ${toOneLine(problem.hint, 1000)}`;
}

export function faultLine({ file, line, column, field, problem }: ConfigFault): string {
  return toOneLine(`${file}:${line}:${column}: ${field ? `${field} ` : ''}${problem}`, 1000);
}
