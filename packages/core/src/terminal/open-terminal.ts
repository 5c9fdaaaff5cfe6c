import { randomUUID } from 'node:crypto';
import type { AgentAdapter } from '../contract/adapter.ts';
import { CapabilityError, ValidationError } from '../contract/errors.ts';
import type { HookLaunchArgs } from '../contract/hooks.ts';
import type { AgentTerminal, TerminalRequest } from '../contract/terminal.ts';
import { buildChildEnv, filterAdapterEnv } from '../env/child-env.ts';
import { nameScratchFolder } from '../files/scratch-name.ts';
import { hookCommand } from '../hooks/ownership.ts';
import { readConfigEnv } from '../native-config/config-env.ts';
import { openPty, type PtyProcess } from '../process/pty.ts';
import { registerLaunch } from '../process/reaper.ts';
import { LAUNCH_VARIABLE, RUN_ID_VARIABLE, readProcessOrigin, terminateProcessTree } from '../process/terminate.ts';
import type { Registry } from '../registry/registry.ts';
import { notInstalled } from '../registry/registry-errors.ts';
import { findOptionIssues } from '../run/options/options.ts';
import { unset } from '../run/plan/hook-launch.ts';
import { createScratch, removeScratch, writeHelperFiles } from '../run/plan/scratch.ts';

interface Host {
  adapters: Registry;
  env: NodeJS.ProcessEnv;
}

/** Maximum prompt size: Linux limits the size of one argument. */
const MAX_PROMPT_BYTES = 100 * 1024;

/**
 * Opens the agent's terminal UI on a pseudo-terminal with the environment of a run. `print` receives the bytes as they
 * arrive; call `pause` for backpressure. Rejects before anything is started if an option is not supported.
 */
export async function openAgentTerminal(
  { adapters, env: hostEnv }: Host,
  request: TerminalRequest,
  print: (bytes: Buffer) => void,
): Promise<AgentTerminal> {
  const adapter = adapters.get(request.agent);
  assertRequest(request);
  const args = argsFor(adapter, request);
  const command = adapter.needsNoInstall ? adapter.cliCommand : await adapters.find(adapter.agent);
  if (command === null) throw notInstalled(adapter, { env: hostEnv });
  const scratchDir = nameScratchFolder();
  const hooks = request.hooks ? hooksFor(adapter, request.hooks, scratchDir) : {};
  const env = await environmentFor(adapter, adapters, { request, hostEnv, hooks });
  const launch = registerLaunch(env[RUN_ID_VARIABLE] ?? '');
  const exited = Promise.withResolvers<Awaited<AgentTerminal['exited']>>();
  let isOver = false;
  let pty: PtyProcess;
  createScratch(scratchDir);
  try {
    writeHelperFiles(scratchDir, { files: { ...hooks.files } });
    const plan = { command, args: [...(hooks.args ?? []), ...args], cwd: request.cwd, usePty: true };
    pty = openPty(
      { ...plan, env: { ...env, [LAUNCH_VARIABLE]: launch.mark }, terminal: request.size },
      {
        data: (_, chunk) => print(chunk),
        ended: () => {},
        left: () => {},
        exited: ({ code, signal, spawnError }) => {
          isOver = true;
          const problem = spawnError && { problem: spawnError.message };
          void leave().then(() => exited.resolve({ code, signal, ...problem }));
        },
      },
    );
  } catch (error) {
    launch.over();
    await removeScratch(scratchDir);
    throw error;
  }
  const { pid } = pty;
  const origin = pid === undefined ? undefined : readProcessOrigin(pid);
  if (pid !== undefined) launch.started(pid, origin);

  async function leave(): Promise<void> {
    await endFamily();
    launch.over();
    await removeScratch(scratchDir);
  }
  async function endFamily(): Promise<void> {
    if (pid === undefined) return;
    const leader = { pid, mark: `${LAUNCH_VARIABLE}=${launch.mark}`, exited: () => isOver, origin };
    await terminateProcessTree(leader, { first: 'SIGHUP' });
  }

  return {
    pid,
    write: (data) => pty.write(data),
    resize: (size) => pty.resize(size),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    async end() {
      pty.resume();
      await endFamily();
      if (isOver) pty.drop();
      await exited.promise;
    },
    exited: exited.promise,
  };
}

function assertRequest({ agent, cwd, model, sessionId, approvalMode, prompt, env, size }: TerminalRequest): void {
  const fields = { cwd, model, sessionId, approvalMode, prompt, env };
  const options = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const issues = findOptionIssues(options);
  const isSize = (count: number) => Number.isInteger(count) && count >= 1 && count <= 1000;
  if (!isSize(size.cols) || !isSize(size.rows))
    issues.push({ field: 'size', problem: 'must be columns and rows from 1 to 1000' });
  if (prompt !== undefined && Buffer.byteLength(prompt) > MAX_PROMPT_BYTES)
    issues.push({ field: 'prompt', problem: `exceeds the limit of ${MAX_PROMPT_BYTES} bytes for a terminal` });
  if (issues.length > 0) throw new ValidationError('terminal', issues, { agent });
}

function argsFor(adapter: AgentAdapter, request: TerminalRequest): string[] {
  const { terminal = {}, agent, displayName } = adapter;
  const refuse = (option: string) => {
    throw new CapabilityError(agent, option, `the terminal of ${displayName} does not support ${option}`);
  };
  const part = (option: string, value: string | undefined, make: ((value: string) => readonly string[]) | undefined) =>
    value === undefined ? [] : [...(make?.(value) ?? refuse(option))];
  const { sessionId, model, approvalMode, prompt } = request;
  if (sessionId !== undefined && prompt !== undefined && terminal.resumesWithPrompt === false)
    throw new CapabilityError(
      agent,
      'prompt',
      `the terminal of ${displayName} cannot resume a session with a prompt`,
      'open it without a prompt and type the prompt there',
    );
  return [
    ...(terminal.args ?? []),
    ...part('sessionId', sessionId, terminal.resume),
    ...part('model', model, terminal.model),
    ...(approvalMode === undefined ? [] : (terminal.approvalModes?.[approvalMode] ?? refuse('approvalMode'))),
    ...part('prompt', prompt, terminal.prompt),
  ];
}

function hooksFor(
  { agent, displayName, hooks }: AgentAdapter,
  hooksOption: NonNullable<TerminalRequest['hooks']>,
  scratchDir: string,
): HookLaunchArgs {
  if (!hooks?.forRun)
    throw new CapabilityError(
      agent,
      'hooks',
      `hooks of ${displayName} need a file in the workspace`,
      `run "amux hooks install ${agent}"`,
    );
  const commandOf = typeof hooksOption === 'function' ? hooksOption : (event: string) => hookCommand(agent, event);
  return hooks.forRun(commandOf, scratchDir);
}

async function environmentFor(
  adapter: AgentAdapter,
  adapters: Registry,
  { request, hostEnv, hooks }: { request: TerminalRequest; hostEnv: NodeJS.ProcessEnv; hooks: HookLaunchArgs },
): Promise<Record<string, string>> {
  const { cwd, inheritEnv = false } = request;
  const named = await readConfigEnv(adapter.configSchema, { env: hostEnv, cwd });
  const names = named.flatMap(({ name, scope }) => (scope === 'global' ? [name] : []));
  const envAllowList = [...(adapter.envAllowList ?? []), ...names];
  const allHostSignals = adapters.hostEnvSignals();
  const options = { env: { ...request.env }, inheritEnv };
  const own = { ...unset(hooks.envDefaults, { ...hostEnv, ...request.env }), ...hooks.env };
  const { kept } = filterAdapterEnv(own, { hostEnv, envAllowList, allHostSignals, options });
  // A terminal UI is for people: enable colors regardless of the host's terminal.
  const screen = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };
  const extra = { ...screen, ...kept, ...request.env, [RUN_ID_VARIABLE]: randomUUID() };
  return buildChildEnv({ hostEnv, envAllowList, inheritEnv, allHostSignals, extra });
}
