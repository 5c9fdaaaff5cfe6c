import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { AdapterProblem, ConfigIssue } from '@agent-mux/core';
import { hasFlag, type ParsedArgs } from './command.ts';
import { paint } from './screen/paint.ts';
import { toOneLine } from './screen/plain.ts';

interface Opening {
  cwd?: string;
  listsProblems?: boolean;
  listsIssues?: boolean;
  /** The command queries every agent, not only the named ones. */
  asksAll?: boolean;
  /** Which rules answer approvals; default: all. */
  rules?: 'all' | 'tighten' | 'none';
}

/** Opens the client of a command. Configuration issues are reported; the valid part of the files applies. */
export async function openClient(
  args: ParsedArgs,
  { listsProblems = false, listsIssues = false, asksAll = false, ...where }: Opening = {},
): Promise<ConfiguredClient> {
  const { createConfiguredClient, preloadAdapters } = await import('@agent-mux/adapters/client');
  const { AMUX_TRUST_PROJECT } = process.env;
  const trustProject = hasFlag(args, 'trust-project') || AMUX_TRUST_PROJECT === '1';
  if (asksAll) preloadAdapters();
  const client = createConfiguredClient({ ...where, trustProject });
  const { yellow } = paint(process.stderr);
  if (!listsIssues) reportIssues(client.configIssues);
  if (!listsProblems) {
    for (const problem of client.adapterProblems) process.stderr.write(`${yellow('amux:')} ${problemLine(problem)}\n`);
  }
  return client;
}

/** Reports configuration issues with file and line. */
export function reportIssues(issues: readonly ConfigIssue[]): void {
  const { yellow } = paint(process.stderr);
  for (const issue of issues) process.stderr.write(`${yellow('amux:')} ${issueLine(issue)}\n`);
}

/** Runs `work` with a client and closes it. */
export async function withClient(
  args: ParsedArgs,
  work: (client: ConfiguredClient) => number | Promise<number>,
  opening: Opening = {},
): Promise<number> {
  const client = await openClient(args, opening);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

export function problemLine(problem: AdapterProblem): string {
  return `${issueLine(problem)}; ${toOneLine(problem.hint, 1000)}`;
}

export function issueLine({ file, line, column, field, problem }: ConfigIssue): string {
  return toOneLine(`${file}:${line}:${column}: ${field ? `${field} ` : ''}${problem}`, 1000);
}
