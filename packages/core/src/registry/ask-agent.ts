import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { lookupBinary } from '../binaries/lookup-binary.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { AgentCommand, AgentQuery, CommandOutput } from '../contract/plugins.ts';
import { buildChildEnv, filterAdapterEnv } from '../env/child-env.ts';
import { installerEnv } from '../env/installer-env.ts';
import { declaredNames } from '../native-config/config-env.ts';
import { type CommandWatch, runCommand } from '../process/command.ts';
import { RUN_ID_VARIABLE } from '../process/terminate.ts';
import type { Registry } from './registry.ts';

/** Time limit of a query: several agents start slowly, none needs more. */
const QUERY_LIMIT_MS = 60_000;

export interface AskContext {
  adapters: Registry;
  env: NodeJS.ProcessEnv;
}

export interface AskOptions extends Partial<CommandWatch> {
  cwd?: string;
}

/** Runs a command of the agent with the agent's environment. The caller checks the exit code. */
export async function runAgentCommand(
  { adapters, env: hostEnv }: AskContext,
  adapter: AgentAdapter,
  command: AgentCommand,
  { cwd = tmpdir(), timeoutMs = QUERY_LIMIT_MS, onLine }: AskOptions = {},
): Promise<CommandOutput> {
  const runId = randomUUID();
  const envAllowList = await declaredNames(adapter, hostEnv);
  const context = { hostEnv, envAllowList, allHostSignals: adapters.hostEnvSignals() };
  const { kept } = filterAdapterEnv(command.env, context);
  const env = buildChildEnv({ ...context, extra: { ...kept, [RUN_ID_VARIABLE]: runId } });
  // A tool such as npm belongs to the user, so it uses the user's environment.
  const setUp = command.command === 'npm' ? installerEnv(adapter, hostEnv, context.allHostSignals) : undefined;
  const program =
    command.command === undefined ? await adapters.lookup(adapter.agent) : await find(command.command, hostEnv);
  const plan = {
    command: program,
    args: [...command.args],
    env: setUp ? { ...setUp, [RUN_ID_VARIABLE]: runId } : env,
    cwd,
    usePty: false,
    stdin: command.stdin ?? '',
  };
  return runCommand(plan, runId, { timeoutMs, onLine });
}

/** Throws AGENT_ERROR if the agent fails or its output is not recognized by the adapter. */
export async function askAgent<Answer>(
  context: AskContext,
  adapter: AgentAdapter,
  query: AgentQuery<Answer>,
  options: AskOptions = {},
): Promise<Answer> {
  const output = await runAgentCommand(context, adapter, query, options);
  try {
    return query.parse(output);
  } catch (cause) {
    const line = [query.command ?? adapter.cliCommand, ...query.args].join(' ');
    const lastLine = (output.stderr.trim() || output.stdout.trim()).split('\n').at(-1)?.slice(0, 300) ?? '';
    throw new AgentMuxError('AGENT_ERROR', `"${line}" ended with code ${output.exitCode}: ${lastLine}`, {
      agent: adapter.agent,
      cause,
    });
  }
}

async function find(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const path = await lookupBinary(command, { env });
  if (path !== null) return path;
  throw new AgentMuxError('SPAWN_ERROR', `${command} is not on PATH`, {
    hint: `install ${command}, or add it to PATH`,
  });
}
