import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ScriptedModel, startScriptedModel } from '../../model/index.ts';
import { cleanEnvironment, prepareHome, runEnvironment } from '../../verify/environment.ts';
import { type AgentSetup, agentSetups, type ScriptedCall } from '../../verify/index.ts';
import { type DaemonCommand, type RunningDaemon, startByCommand, startDaemon } from './daemon-process.ts';
import { kill, processesOf } from './processes.ts';
import { waitFor } from './wait.ts';

/** The sibling module in the same form as this file: TypeScript in the sources, JavaScript once built. */
const ADAPTER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../agent/adapter.ts' : '../agent/adapter.js', import.meta.url),
);

export interface WorldOptions {
  /** A separate empty folder. */
  folder: string;
  agents: readonly string[];
  /** PATH with the CLIs of the agents. */
  path: string;
  daemon: DaemonCommand;
  /** A command of the user that needs a daemon and starts one; absent: none. */
  needsDaemon?: DaemonCommand;
  /** Shared by rounds: files that CLIs unpack or compile only once. */
  warm?: string;
  /** `daemon` of the configuration file. */
  settings?: Record<string, unknown>;
}

/** One user with a home, a model and a daemon, isolated from the rest of the machine. */
export interface World {
  folder: string;
  home: string;
  state: string;
  env: Record<string, string>;
  model: ScriptedModel;
  log: string;
  daemon: RunningDaemon | undefined;
  /** Directly, or because a command of the user needs it. */
  startDaemon(how?: 'itself' | 'needed'): Promise<RunningDaemon>;
  /** Environment variables for sessions of this agent. */
  runEnv(agent: string): Record<string, string>;
  /** A working directory. */
  workFolder(name: string): string;
  close(): Promise<string[]>;
}

export function shellCall(agent: string, command: string): ScriptedCall {
  return agentSetups[agent]?.shellTool(command) ?? { name: 'shell', input: { command } };
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const { folder, warm, path } = options;
  const home = join(folder, 'home');
  const state = join(folder, 'state');
  const tmp = join(folder, 'tmp');
  const log = join(folder, 'daemon.log');
  const results = options.agents.flatMap((agent): AgentSetup[] => (agentSetups[agent] ? [agentSetups[agent]] : []));
  const model = await startScriptedModel({
    models: ['scripted-model', ...results.flatMap((setup) => [setup.model.seen, setup.otherModel.seen])],
  });
  const place = { modelUrl: model.url, home };
  for (const made of [home, tmp]) mkdirSync(made, { recursive: true });
  for (const setup of results) prepareHome(setup, place, warm && join(warm, setup.agent));
  const runEnv = (agent: string): Record<string, string> => {
    const setup = agentSetups[agent];
    return setup ? runEnvironment(setup, warm && join(warm, agent)) : {};
  };
  writeConfig(home, options.settings);
  const plain = { agent: '', cli: '', env: () => ({}) } as unknown as AgentSetup;
  const env: Record<string, string> = {
    ...cleanEnvironment(plain, place, path),
    TMPDIR: tmp,
    XDG_STATE_HOME: state,
    AGENT_MUX_PORT: '0',
    SCRIPTED_MODEL_URL: model.url,
    DEMO_SPEED: '3',
    // Variables of a session that are not stored are found here when it is restored.
    ...Object.assign({}, ...results.map((setup) => ({ ...setup.env(place), ...runEnv(setup.agent) }))),
  };
  const world: World = {
    folder,
    home,
    state,
    env,
    model,
    log,
    daemon: undefined,
    startDaemon: async (how = 'itself') => {
      const { needsDaemon } = options;
      world.daemon =
        how === 'needed' && needsDaemon
          ? await startByCommand(needsDaemon, env)
          : await startDaemon(options.daemon, env, log);
      return world.daemon;
    },
    runEnv,
    workFolder: (name) => {
      const made = join(folder, 'work', name);
      mkdirSync(made, { recursive: true });
      return made;
    },
    close: () => closeWorld(world),
  };
  return world;
}

function writeConfig(home: string, daemon: Record<string, unknown> | undefined): void {
  const folder = join(home, '.config', 'agent-mux');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ adapters: [ADAPTER], ...(daemon ? { daemon } : {}) }));
}

/** Scratch folders of runs. */
function scratchFolders({ env }: World): string[] {
  return readdirSync(env.TMPDIR ?? '').filter((name) => /^agent-mux-[0-9a-f]{32}/.test(name));
}

/** Ends everything. Reports processes that had to be killed although keeper and daemon are gone. */
async function closeWorld(world: World): Promise<string[]> {
  if (world.daemon) kill(world.daemon.pid);
  world.daemon = undefined;
  for (const { pid, runId } of processesOf(world.home)) if (runId === undefined) kill(pid);
  const left = await waitFor(
    'all processes of the world are gone',
    5000,
    () => processesOf(world.home).length === 0,
  ).then(
    () => [],
    () => processesOf(world.home),
  );
  for (const { pid } of left) kill(pid);
  // They may hold secrets: the reaper of a killed keeper removes them.
  const scratch = await waitFor('no scratch folder is left', 5000, () => scratchFolders(world).length === 0).then(
    () => [],
    () => scratchFolders(world),
  );
  await world.model.close();
  return [...left.map(({ pid, command }) => `${pid} ${command}`), ...scratch];
}
