import type { AgentAdapter, InstalledAgentInfo } from '../contract/adapter.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type {
  InstallAction,
  InstallApi,
  InstallChangeOptions,
  InstallOptions,
  InstallOutcome,
  InstallPlan,
  InstallPlanOptions,
} from '../contract/management.ts';
import { shellQuote } from '../process/shell-quote.ts';
import { redactSecrets } from '../redact/redact.ts';
import type { Registry } from '../registry/registry.ts';
import { installMethodsFor, notInstalled } from '../registry/registry-errors.ts';
import { describePathHint, findOffPath } from './off-path.ts';
import { originOf } from './origin.ts';
import { planChange, planInstall } from './plan.ts';
import { findHint, runPlan } from './run-plan.ts';

/** Maximum characters of installer output to keep. */
const KEPT_OUTPUT = 8000;

/** Installs agents with the methods of their adapters. Never requests elevated privileges. */
export class Installer implements InstallApi {
  readonly #adapters: Registry;
  readonly #env: NodeJS.ProcessEnv;

  constructor({ adapters, env }: { adapters: Registry; env: NodeJS.ProcessEnv }) {
    this.#adapters = adapters;
    this.#env = env;
  }

  async plan(agent: string, options: InstallPlanOptions = {}): Promise<InstallPlan> {
    const adapter = this.#adapters.get(agent);
    const { action = 'install' } = options;
    if (action === 'install') return planInstall(adapter, this.#env, options);
    const { cliPath } = await this.#detect(agent);
    const origin = cliPath === null ? null : await originOf(cliPath, installMethodsFor(adapter, process.platform));
    return planChange(adapter, action, origin, options);
  }

  async install(agent: string, options: InstallOptions = {}): Promise<InstallOutcome> {
    const { version, force = false, dryRun = false } = options;
    const adapter = this.#adapters.get(agent);
    const before = await this.#detect(agent);
    const draft = startOutcome(adapter, 'install', before, dryRun);
    if (adapter.needsNoInstall) return { ...draft, message: `${adapter.displayName} is part of agent-mux` };
    if (before.installed && !force) {
      const here = `${adapter.displayName} ${before.version ?? ''}`.trimEnd();
      if (version === undefined || version === before.version) {
        return { ...draft, message: `${here} is already installed` };
      }
      return {
        ...draft,
        ok: false,
        message: `${here} is already installed instead of ${version}`,
        hint: `run "amux install ${agent} --version ${shellQuote(version)} --force" to replace it`,
      };
    }
    if (adapter.install) {
      const result = await adapter.install({ version, force, dryRun });
      return this.#verify(adapter, { ...draft, ...result }, options);
    }
    return this.#carryOut(adapter, await this.plan(agent, options), draft, options);
  }

  async update(agent: string, options: InstallChangeOptions = {}): Promise<InstallOutcome> {
    const { dryRun = false } = options;
    const adapter = this.#adapters.get(agent);
    const before = await this.#detect(agent);
    const draft = startOutcome(adapter, 'update', before, dryRun);
    if (adapter.needsNoInstall) return { ...draft, message: `${adapter.displayName} is part of agent-mux` };
    if (!before.installed) throw notInstalled(adapter);
    if (adapter.update) return this.#verify(adapter, { ...draft, ...(await adapter.update({ dryRun })) }, options);
    return this.#carryOut(adapter, await this.plan(agent, { ...options, action: 'update' }), draft, options);
  }

  async uninstall(agent: string, options: InstallChangeOptions = {}): Promise<InstallOutcome> {
    const adapter = this.#adapters.get(agent);
    const before = await this.#detect(agent);
    const draft = startOutcome(adapter, 'uninstall', before, options.dryRun ?? false);
    if (adapter.needsNoInstall) return { ...draft, ok: false, message: `${adapter.displayName} is part of agent-mux` };
    if (!before.installed) return { ...draft, message: `${adapter.displayName} is not installed` };
    return this.#carryOut(adapter, await this.plan(agent, { ...options, action: 'uninstall' }), draft, options);
  }

  async #carryOut(
    adapter: AgentAdapter,
    plan: InstallPlan,
    draft: InstallOutcome,
    options: InstallOptions,
  ): Promise<InstallOutcome> {
    const command = plan.commands.map(({ line }) => line).join(' && ');
    const planned = { ...draft, method: plan.method, command };
    if (draft.dryRun) return { ...planned, ...(plan.notes ? { message: plan.notes } : {}) };
    const { code, stdout, stderr } = await runPlan(plan, this.#context(adapter), options);
    const output = { stdout: keepTail(stdout), stderr: keepTail(stderr) };
    if (code === 0) return this.#verify(adapter, { ...planned, ...output }, options);
    this.#adapters.forgetDetection(adapter.agent);
    const last = (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '';
    const hint = findHint(`${stdout}\n${stderr}`);
    return {
      ...planned,
      ...output,
      ok: false,
      message: `"${command}" ended with code ${code}: ${redactSecrets(last)}`,
      ...(hint ? { hint } : {}),
    };
  }

  /** Verifies the result on the machine instead of trusting the installer. */
  async #verify(adapter: AgentAdapter, done: InstallOutcome, options: InstallOptions): Promise<InstallOutcome> {
    if (done.dryRun || !done.ok) return done;
    this.#adapters.forgetDetection(adapter.agent);
    const now = await this.#detect(adapter.agent);
    const found = { path: now.cliPath, ...(now.version === null ? {} : { installedVersion: now.version }) };
    return done.action === 'uninstall'
      ? judgeUninstall(adapter, done, now)
      : now.installed
        ? this.#here(adapter, { ...done, ...found }, options.version)
        : this.#missing(adapter, done, options);
  }

  #here({ displayName }: AgentAdapter, done: InstallOutcome, wanted: string | undefined): InstallOutcome {
    const { installedVersion, previousVersion, action, path } = done;
    const changed = action === 'install' || installedVersion !== previousVersion;
    if (wanted !== undefined && /^\d/.test(wanted) && installedVersion !== undefined && installedVersion !== wanted) {
      const message = `${wanted} was installed, but ${path} is ${installedVersion}: another copy comes first on PATH`;
      return { ...done, ok: false, changed, message, hint: 'remove the other copy, or put it later on PATH' };
    }
    const named = `${displayName} ${installedVersion ?? ''}`.trimEnd();
    const message = changed
      ? `${named} is ${action === 'install' ? 'installed' : `installed, previously ${previousVersion ?? 'an unknown version'}`}`
      : `${named} is already up to date`;
    return { ...done, changed, message };
  }

  async #missing(adapter: AgentAdapter, done: InstallOutcome, options: InstallOptions): Promise<InstallOutcome> {
    const there = await findOffPath(adapter, done.method, this.#context(adapter), options.spawner);
    if (there) {
      const message = `${adapter.displayName} was installed as ${there.path}, which is not on PATH`;
      const { version, path } = there;
      const known = version === null ? {} : { installedVersion: version };
      return { ...done, ok: false, changed: true, path, ...known, message, hint: describePathHint(path) };
    }
    return {
      ...done,
      ok: false,
      message: `the installer succeeded, but "${adapter.cliCommand}" was not found afterwards`,
      hint: `check its output; "${adapter.cliCommand}" must be on PATH`,
    };
  }

  #context(adapter: AgentAdapter) {
    return { adapter, hostEnv: this.#env, hostSignals: this.#adapters.hostEnvSignals() };
  }

  async #detect(agent: string): Promise<InstalledAgentInfo> {
    const info = await this.#adapters.detect(agent);
    if (info) return info;
    throw new AgentMuxError('UNKNOWN_AGENT', `${agent} is no longer registered`, { agent });
  }
}

function startOutcome(
  { agent }: AgentAdapter,
  action: InstallAction,
  before: InstalledAgentInfo,
  dryRun: boolean,
): InstallOutcome {
  const { version, cliPath } = before;
  const known = version === null ? {} : { installedVersion: version };
  return {
    agent,
    action,
    ok: true,
    changed: false,
    dryRun,
    method: '',
    command: '',
    previousVersion: version,
    path: cliPath,
    ...known,
  };
}

function judgeUninstall({ displayName }: AgentAdapter, done: InstallOutcome, now: InstalledAgentInfo): InstallOutcome {
  const { installedVersion: _, ...rest } = done;
  if (!now.installed) return { ...rest, changed: true, path: null, message: `${displayName} is uninstalled` };
  const same = now.cliPath === done.path;
  return {
    ...rest,
    ok: !same,
    changed: !same,
    path: now.cliPath,
    message: same
      ? `${displayName} is still installed: ${now.cliPath}`
      : `${displayName} is uninstalled; another copy remains: ${now.cliPath}`,
    hint: `remove ${now.cliPath} the way it was installed`,
  };
}

function keepTail(text: string): string {
  return redactSecrets(text.slice(-KEPT_OUTPUT));
}
