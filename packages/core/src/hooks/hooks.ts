import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError, CapabilityError } from '../contract/errors.ts';
import type {
  AgentHooks,
  HookChange,
  HookFile,
  HookOptions,
  HookSpec,
  HookStatus,
  HookSupport,
} from '../contract/hooks.ts';
import type { Registry } from '../registry/registry.ts';
import { messageOf } from '../values.ts';
import { type HookTarget, hookStates, installHooks, uninstallHooks } from './install.ts';

export class Hooks implements AgentHooks {
  readonly #adapters: Registry;
  readonly #env: NodeJS.ProcessEnv;

  constructor({ adapters, env }: { adapters: Registry; env: NodeJS.ProcessEnv }) {
    this.#adapters = adapters;
    this.#env = env;
  }

  supported(): HookSupport[] {
    return this.#adapters
      .list()
      .map(({ agent }) => this.#adapters.get(agent))
      .flatMap(({ agent, hooks }) => (hooks ? [supportOf(agent, hooks)] : []));
  }

  async install(agent: string, options: HookOptions = {}): Promise<HookChange> {
    const target = await this.#targetOf(agent, options);
    const changed = await installHooks(target);
    return { ...(await this.#statusOf(target)), changed };
  }

  async uninstall(agent: string, options: HookOptions = {}): Promise<HookChange> {
    const target = await this.#targetOf(agent, options);
    const changed = await uninstallHooks(target);
    return { ...(await this.#statusOf(target)), changed };
  }

  async status(agent: string, options: HookOptions = {}): Promise<HookStatus> {
    return this.#statusOf(await this.#targetOf(agent, options));
  }

  async #statusOf(target: HookTarget): Promise<HookStatus> {
    const { agent, spec, workspace } = target;
    const states = await hookStates(target);
    const installed = states.every(({ state }) => state === 'installed');
    return { ...supportOf(agent, spec), workspace, installed, states };
  }

  async #targetOf(agent: string, { cwd = process.cwd() }: HookOptions): Promise<HookTarget> {
    const adapter = this.#adapters.get(agent);
    if (!adapter.hooks) throw this.#cannot(adapter);
    return { agent, spec: adapter.hooks, workspace: await realFolder(cwd), env: this.#env };
  }

  #cannot({ agent, displayName }: AgentAdapter): CapabilityError {
    const others = this.supported().map((each) => each.agent);
    const hint = others.length > 0 ? `agents with hooks: ${others.join(', ')}` : undefined;
    return new CapabilityError(agent, 'hooks', `${displayName} has no known hooks`, hint);
  }
}

function supportOf(agent: string, { file, events, trust, forRun }: HookSpec): HookSupport {
  return {
    agent,
    events: events.map(({ name }) => name),
    files: filesOf(file, events),
    ...(trust === undefined ? {} : { trust }),
    forRun: forRun !== undefined,
  };
}

function filesOf(file: HookFile, events: HookSpec['events']): string[] {
  return file.shape === 'scripts' ? events.map((event) => `${file.folder}/${file.fileOf(event)}`) : [file.path];
}

async function realFolder(cwd: string): Promise<string> {
  try {
    return await realpath(resolve(cwd));
  } catch (cause) {
    throw new AgentMuxError('CONFIG_ERROR', `${resolve(cwd)}: ${messageOf(cause)}`, {
      hint: 'use an existing folder',
      cause,
    });
  }
}
