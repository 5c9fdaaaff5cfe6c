import { CapabilityError, type HostFiles, type ResolvedRunOptions } from '@agent-mux/core';

/** Where an administrator stores policies (0.61.0). */
const SYSTEM_POLICIES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/GeminiCli/policies',
  win32: 'C:\\ProgramData\\gemini-cli\\policies',
};
const OTHER_SYSTEM_POLICIES = '/etc/gemini-cli/policies';

/** The highest priority of a rule within its tier. */
const PRIORITY = 999;

/** For `--admin-policy`: what a user has always allowed wins over any other rule. */
export function denyingPolicy(tools: readonly string[]): string {
  return tools
    .map((tool) => `[[rule]]\ntoolName = ${JSON.stringify(tool)}\ndecision = "deny"\npriority = ${PRIORITY}\n`)
    .join('\n');
}

/** If an administrator has policies, the CLI silently ignores those of its command line. */
export async function assertDenialHolds(
  { agent, deniedTools, invocation }: ResolvedRunOptions,
  files: HostFiles,
  folder = SYSTEM_POLICIES[process.platform] ?? OTHER_SYSTEM_POLICIES,
): Promise<void> {
  if (!deniedTools?.length || invocation.mode !== 'local') return;
  const names = await files.list(folder);
  if (!names.some((name) => name.endsWith('.toml'))) return;
  const message = `Gemini CLI ignores denials of a run because of the policies in ${folder}`;
  throw new CapabilityError(agent, 'deniedTools', message);
}
