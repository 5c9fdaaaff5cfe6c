import type { AgentAdapter } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { ApprovalPolicy } from '../contract/policy.ts';
import type { RunResult } from '../contract/run.ts';
import { buildChildEnv } from '../env/child-env.ts';
import { hostFiles } from '../files/host-files.ts';
import type { QuotaStore } from '../limits/quota-store.ts';
import { explainFailure, type NamedVariable, readConfigEnv } from '../native-config/config-env.ts';
import { TraceWriter } from '../process/trace.ts';
import { secretsOf } from '../redact/secrets.ts';
import type { Registry } from '../registry/registry.ts';
import { dropSession } from '../session-stores/drop-session.ts';
import { openDriver, type Resources } from './drivers/connect.ts';
import type { Driver, DriverSink } from './drivers/driver.ts';
import { appendRunRecord, runRecordOf } from './log/run-index.ts';
import type { RunContext } from './parts.ts';
import { createScratch, removeScratch } from './plan/scratch.ts';
import type { Run } from './run.ts';
import { startupWarnings } from './startup-warnings.ts';

/** Shared by the runs of a client. */
export interface RunHost {
  readonly adapters: Registry;
  readonly env: NodeJS.ProcessEnv;
  readonly resources: Resources;
  readonly quotas: QuotaStore;
  /** Folder of the run index; undefined: the run's working directory; false: no index. */
  readonly runIndex: string | false | undefined;
  readonly policy?: ApprovalPolicy;
}

/** Receives events and the end of the run. */
interface RunListener {
  note(body: EventBody): void;
  finished(): void;
}

/** Variables named by the agent's configuration on this machine, and their values in the agent's environment. */
interface AgentVariables {
  named: NamedVariable[];
  env: Record<string, string>;
}

/** What a run uses of this machine: the agent's command, variables, a scratch folder, a trace, the run index. */
export class HostRunContext implements RunContext {
  readonly secrets: string[];
  readonly policy?: ApprovalPolicy;
  readonly #host: RunHost;
  readonly #adapter: AgentAdapter;
  readonly #options: ResolvedRunOptions;
  readonly #run: RunListener;
  readonly #startedAt = Date.now();
  readonly #trace: TraceWriter | undefined;
  readonly #cliPath: Promise<string | null>;
  readonly #over = new AbortController();
  #stopListening: (() => void) | undefined;
  #version: Promise<string | null> | undefined;
  #hasScratch = false;
  #variables: AgentVariables | undefined;

  constructor(host: RunHost, adapter: AgentAdapter, options: ResolvedRunOptions, run: RunListener) {
    this.#host = host;
    this.#run = run;
    this.#adapter = adapter;
    this.#options = options;
    this.secrets = secretsOf(host.env, options.env);
    if (host.policy) this.policy = host.policy;
    this.#trace = this.#openTrace();
    // Started once, now: whatever happens to the registry, this run keeps its agent.
    this.#cliPath = adapter.needsNoInstall || !isLocal(options) ? Promise.resolve(null) : this.#findCli();
    this.#cliPath.catch(() => {});
  }

  async connect(run: Run, sink: DriverSink, over: AbortSignal): Promise<Driver> {
    const { env: hostEnv, adapters, resources } = this.#host;
    await waitUnless(over, adapters.initialized(this.#adapter));
    this.#stopListening ??= adapters
      .logOf(this.#adapter)
      ?.listen({ debug: this.#options.debug ?? false, emit: (body) => this.#run.note(body) });
    const configNames = isLocal(this.#options) ? await this.#prepareLocal(over) : undefined;
    const context = { hostEnv, hostSignals: adapters.hostEnvSignals(), cliPath: await this.#cliPath, configNames };
    return openDriver({ run, sink, context, resources, trace: this.#trace, over });
  }

  notes(): AsyncIterable<EventBody> {
    const { adapters } = this.#host;
    const { invocation } = this.#options;
    return startupWarnings(adapters, this.#adapter, { invocation }, () => this.#askVersion());
  }

  explain(failure: { type: string; message: string; stderr?: string }): string | undefined {
    return this.#variables && explainFailure(failure, this.#variables.named, this.#variables.env);
  }

  async dropSession(sessionId: string): Promise<boolean> {
    const { sessionStore } = this.#adapter;
    if (!sessionStore || !isLocal(this.#options)) return false;
    const env = { ...this.#host.env, ...this.#options.env };
    return dropSession(sessionStore, { sessionId, since: this.#startedAt }, env);
  }

  async tidyUp(): Promise<string | undefined> {
    return this.#hasScratch ? removeScratch(this.#options.scratchDir) : undefined;
  }

  async finished(result: RunResult | undefined): Promise<void> {
    this.#run.finished();
    this.#stopListening?.();
    this.#over.abort();
    await this.#version;
    await this.#trace?.close();
    if (!result) return;
    if (isLocal(this.#options)) await this.#host.quotas.learn(result);
  }

  async remember(result: RunResult): Promise<string | undefined> {
    const folder = this.#recordFolder();
    const { cwd } = this.#options;
    if (folder === undefined) return undefined;
    const record = runRecordOf(result, { startedAt: this.#startedAt, secrets: this.secrets, cwd });
    return (await appendRunRecord(folder, record))?.message;
  }

  /** Resolves to the variables that the user's own configuration of the agent names. */
  async #prepareLocal(over: AbortSignal): Promise<string[]> {
    const { env } = this.#host;
    if (!this.#hasScratch) createScratch(this.#options.scratchDir);
    this.#hasScratch = true;
    await waitUnless(over, this.#adapter.beforeSpawn?.(this.#options, env, hostFiles));
    const named = await readConfigEnv(this.#adapter.configSchema, { env, cwd: this.#options.cwd });
    const names = named.flatMap(({ name, scope }) => (scope === 'global' ? [name] : []));
    const envAllowList = [...(this.#adapter.envAllowList ?? []), ...names];
    const { inheritEnv, env: extra } = this.#options;
    this.#variables = { named, env: buildChildEnv({ hostEnv: env, envAllowList, inheritEnv, extra }) };
    this.secrets.push(...named.flatMap(({ name, login }) => (login && env[name]) || []));
    return names;
  }

  async #findCli(): Promise<string | null> {
    return this.#host.adapters.find(this.#adapter.agent);
  }

  #askVersion(): Promise<string | null> {
    this.#version ??= this.#host.adapters.version(this.#adapter.agent, this.#over.signal).catch(() => null);
    return this.#version;
  }

  #openTrace(): TraceWriter | undefined {
    const { tracePath, runId, agent } = this.#options;
    if (!tracePath) return undefined;
    const onError = ({ message }: Error) =>
      this.#run.note({ type: 'debug', level: 'warn', code: 'trace_failed', message });
    return new TraceWriter(tracePath, { runId, agent, secrets: this.secrets, onError });
  }

  /** Undefined if this run is not recorded. */
  #recordFolder(): string | undefined {
    const { runIndex } = this.#host;
    return runIndex === false || this.#options.noSession ? undefined : (runIndex ?? this.#options.cwd);
  }
}

/** A remote agent may have another login, and has nothing of this machine. */
export function isLocal({ invocation }: Pick<ResolvedRunOptions, 'invocation'>): boolean {
  return invocation.mode === 'local';
}

/** Waits for the work or for the abort, which rejects. */
async function waitUnless(over: AbortSignal, work: Promise<void> | undefined): Promise<void> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const leave = () => reject(over.reason);
  over.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([work, ended]);
  } finally {
    over.removeEventListener('abort', leave);
  }
}
