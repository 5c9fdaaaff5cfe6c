import type { AgentAdapter } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { ApprovalPolicy } from '../contract/policy.ts';
import type { RunResult } from '../contract/run.ts';
import { buildChildEnv } from '../env/child-env.ts';
import { hostFiles } from '../files/host-files.ts';
import type { QuotaMemory } from '../limits/quota-memory.ts';
import { explainFailure, type NamedVariable, readConfigEnv } from '../native-config/config-env.ts';
import { TraceWriter } from '../process/trace.ts';
import { secretsOf } from '../redact/secrets.ts';
import type { Registry } from '../registry/registry.ts';
import { dropSession } from '../session-stores/drop-session.ts';
import { openDriver, type Resources } from './drivers/connect.ts';
import type { Driver, DriverSink } from './drivers/driver.ts';
import { appendRunRecord, runRecordOf } from './log/run-index.ts';
import { runNotes } from './notes.ts';
import type { RunSurroundings } from './parts.ts';
import { makeScratch, removeScratch } from './plan/scratch.ts';
import type { Run } from './run.ts';

/** What the runs of a client have in common. */
export interface RunHost {
  readonly adapters: Registry;
  readonly env: NodeJS.ProcessEnv;
  readonly resources: Resources;
  readonly quotas: QuotaMemory;
  /** Where runs are remembered; undefined: in their own folder; false: nowhere. */
  readonly runIndex: string | false | undefined;
  readonly policy?: ApprovalPolicy;
}

/** How the run and its client hear of it. */
interface Ears {
  note(body: EventBody): void;
  finished(): void;
}

/** What the agent's own configuration on this machine names, and what of it the agent has. */
interface AgentVariables {
  named: NamedVariable[];
  env: Record<string, string>;
}

/** What one run has of this machine: the agent's command, variables, a scratch folder, a trace, records. */
export class HostSurroundings implements RunSurroundings {
  readonly secrets: string[];
  readonly policy?: ApprovalPolicy;
  readonly #host: RunHost;
  readonly #adapter: AgentAdapter;
  readonly #options: ResolvedRunOptions;
  readonly #run: Ears;
  readonly #startedAt = Date.now();
  readonly #trace: TraceWriter | undefined;
  readonly #cliPath: Promise<string | null>;
  readonly #over = new AbortController();
  #stopListening: (() => void) | undefined;
  #version: Promise<string | null> | undefined;
  #hasScratch = false;
  #variables: AgentVariables | undefined;

  constructor(host: RunHost, adapter: AgentAdapter, options: ResolvedRunOptions, run: Ears) {
    this.#host = host;
    this.#run = run;
    this.#adapter = adapter;
    this.#options = options;
    this.secrets = secretsOf(host.env, options.env);
    if (host.policy) this.policy = host.policy;
    this.#trace = this.#openTrace();
    // Begun now, once: whatever happens to the registry, this run keeps the agent that it was started with.
    this.#cliPath = adapter.needsNoInstall || !isHere(options) ? Promise.resolve(null) : this.#findCli();
    this.#cliPath.catch(() => {});
  }

  async connect(run: Run, sink: DriverSink, over: AbortSignal): Promise<Driver> {
    const { env: hostEnv, adapters, resources } = this.#host;
    await waitUnless(over, adapters.initialized(this.#adapter));
    this.#stopListening ??= adapters
      .logOf(this.#adapter)
      ?.listen({ debug: this.#options.debug ?? false, emit: (body) => this.#run.note(body) });
    const configNames = isHere(this.#options) ? await this.#prepareHere(over) : undefined;
    const around = { hostEnv, hostSignals: adapters.hostEnvSignals(), cliPath: await this.#cliPath, configNames };
    return openDriver({ run, sink, around, resources, trace: this.#trace, over });
  }

  notes(): AsyncIterable<EventBody> {
    const { adapters } = this.#host;
    const { invocation } = this.#options;
    return runNotes(adapters, this.#adapter, { invocation }, () => this.#askVersion());
  }

  explain(failure: { type: string; message: string; stderr?: string }): string | undefined {
    return this.#variables && explainFailure(failure, this.#variables.named, this.#variables.env);
  }

  async dropSession(sessionId: string): Promise<boolean> {
    const { sessionStore } = this.#adapter;
    if (!sessionStore || !isHere(this.#options)) return false;
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
    if (isHere(this.#options)) await this.#host.quotas.learn(result);
  }

  async remember(result: RunResult): Promise<string | undefined> {
    const folder = this.#recordFolder();
    const { cwd } = this.#options;
    if (folder === undefined) return undefined;
    const record = runRecordOf(result, { startedAt: this.#startedAt, secrets: this.secrets, cwd });
    return (await appendRunRecord(folder, record))?.message;
  }

  /** Resolves to the variables that the user's own configuration of the agent names. */
  async #prepareHere(over: AbortSignal): Promise<string[]> {
    const { env } = this.#host;
    if (!this.#hasScratch) makeScratch(this.#options.scratchDir);
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
    const onFault = ({ message }: Error) =>
      this.#run.note({ type: 'debug', level: 'warn', code: 'trace_failed', message });
    return new TraceWriter(tracePath, { runId, agent, secrets: this.secrets, onFault });
  }

  /** Undefined: this run is not remembered. */
  #recordFolder(): string | undefined {
    const { runIndex } = this.#host;
    return runIndex === false || this.#options.noSession ? undefined : (runIndex ?? this.#options.cwd);
  }
}

/** Elsewhere an agent may have another login, and nothing of this machine's. */
export function isHere({ invocation }: Pick<ResolvedRunOptions, 'invocation'>): boolean {
  return invocation.mode === 'local';
}

/** What is waited for, or the end of waiting. */
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
