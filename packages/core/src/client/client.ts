import type { AdapterCard, AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError, ValidationError } from '../contract/errors.ts';
import type { ResolvedRunOptions, RunOptions } from '../contract/options.ts';
import type { QuotaStatus } from '../contract/quota.ts';
import type {
  AgentMuxClient,
  ClientOptions,
  HealthStatus,
  RunHandle,
  RunOnceRequest,
  RunOnceResult,
  RunResult,
} from '../contract/run.ts';
import type {
  AuthApi,
  DoctorOptions,
  Finding,
  InstallChangeOptions,
  InstallOptions,
  InstallOutcome,
  InstallPlan,
  InstallPlanOptions,
  ModelsApi,
} from '../contract/upkeep.ts';
import type { OwnState } from '../doctor/doctor.ts';
import { buildChildEnv } from '../env/child-env.ts';
import type { Plugins } from '../extensions/plugins.ts';
import type { Skills } from '../extensions/skills.ts';
import { QuotaMemory } from '../limits/quota-memory.ts';
import { explainFailure, readConfigEnv } from '../native-config/config-env.ts';
import type { McpServers } from '../native-config/mcp-servers.ts';
import type { NativeConfigs } from '../native-config/native-configs.ts';
import { onDemand } from '../on-demand.ts';
import { TraceWriter } from '../process/trace.ts';
import { secretsOf } from '../redact/secrets.ts';
import { Registry } from '../registry/registry.ts';
import { AgentServers } from '../run/channels/servers.ts';
import { SharedProcesses } from '../run/channels/shared-process.ts';
import { openDriver, type Resources } from '../run/drivers/connect.ts';
import { HANDSHAKE_LIMIT_MS } from '../run/drivers/handshake.ts';
import { createHandle } from '../run/handle.ts';
import { appendRunRecord, runRecordOf } from '../run/log/run-index.ts';
import { gateOptions, modeOf, modesOf } from '../run/options/gate.ts';
import { fillOptions, resolveOptions } from '../run/options/options.ts';
import { withSystemPrefix } from '../run/plan/plan.ts';
import { makeScratch, removeScratch } from '../run/plan/scratch.ts';
import { Run } from '../run/run.ts';
import { dropSession } from '../sessions/drop-session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { checkHealth } from './health.ts';
import { detectHost } from './host.ts';
import { runNotes } from './notes.ts';
import { runOnce } from './run-once.ts';
import { type Around, once, openUpkeep, type Upkeep } from './upkeep.ts';

export interface CoreClientOptions extends ClientOptions {
  /** Registered as built-ins. */
  adapters?: readonly (AgentAdapter | AdapterCard)[];
}

/** A client with exactly the given adapters. The `agent-mux` package has one with all of them. */
export function createClient(options: CoreClientOptions = {}): Client {
  return new Client(options);
}

export class Client implements AgentMuxClient {
  readonly adapters: Registry;
  readonly auth: AuthApi;
  readonly models: ModelsApi;
  readonly #installer: Upkeep['installer'];
  readonly #keepers: ReturnType<typeof keepersOf>;
  readonly #options: CoreClientOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #runs = new Set<Run>();
  readonly #resources: Resources;
  readonly #quotas: QuotaMemory;
  #closed = false;

  constructor(options: CoreClientOptions = {}) {
    this.#options = options;
    this.#env = options.env ?? process.env;
    checkTimes(options);
    const { idleTimeout, handshakeTimeout: handshakeMs = HANDSHAKE_LIMIT_MS } = options;
    this.#resources = {
      shared: new SharedProcesses(idleTimeout),
      servers: new AgentServers(idleTimeout, handshakeMs),
      handshakeMs,
    };
    this.#quotas = new QuotaMemory(this.#env, { keep: options.runIndex !== false });
    this.adapters = new Registry({ env: this.#env });
    for (const adapter of options.adapters ?? []) this.adapters.registerBuiltIn(adapter);
    const around = { adapters: this.adapters, env: this.#env };
    const { auth, models, installer } = openUpkeep(around);
    this.auth = auth;
    this.models = models;
    this.#installer = installer;
    this.#keepers = keepersOf(around);
  }

  get sessions(): Sessions {
    return this.#keepers.sessions();
  }

  get config(): NativeConfigs {
    return this.#keepers.config();
  }

  get mcp(): McpServers {
    return this.#keepers.mcp();
  }

  get plugins(): Plugins {
    return this.#keepers.plugins();
  }

  get skills(): Skills {
    return this.#keepers.skills();
  }

  run(given: RunOptions): RunHandle {
    if (this.#closed) throw new AgentMuxError('RUN_ENDED', 'this client is closed', { hint: 'create a new one' });
    const { profiles = {}, defaults = {}, retryPolicy, debug } = this.#options;
    const asked = resolveOptions(given, {
      profiles,
      defaults: { ...defaults, ...(debug === undefined ? {} : { debug }), ...(retryPolicy ? { retryPolicy } : {}) },
      defaultMode: (agent) => modesOf(this.adapters.get(agent))[0]!.name,
    });
    const adapter = this.adapters.get(asked.agent);
    const resolved = fillOptions(adapter, asked);
    const mode = modeOf(adapter, resolved.mode);
    gateOptions(adapter, mode, resolved);
    const options = withSystemPrefix(mode, resolved);
    this.#refuseTakenId(options);
    const startedAt = Date.now();
    const secrets = secretsOf(this.#env, options.env);
    const trace = options.tracePath ? this.#openTrace(options.tracePath, options, secrets, () => run) : undefined;
    // Begun now, once: whatever happens to the registry, this run keeps the agent that it was started with.
    const cliPath = this.#lookup(adapter, options);
    cliPath.catch(() => {});
    const over = new AbortController();
    let version: Promise<string | null> | undefined;
    let scratch = false;
    const askVersion = () => (version ??= this.adapters.version(adapter.agent, over.signal).catch(() => null));
    let variables: Awaited<ReturnType<typeof variablesOf>> | undefined;
    const run: Run = new Run(adapter, mode, options, {
      secrets,
      explain: (failure) => variables && explainFailure(failure, variables.named, variables.env),
      notes: () => runNotes(this.adapters, adapter, { ...options, runIndex: this.#recordFolder(options) }, askVersion),
      connect: async (self, sink, givenUp) => {
        const hostEnv = this.#env;
        if (options.invocation.mode === 'local') {
          if (!scratch) makeScratch(options.scratchDir);
          scratch = true;
          await unless(givenUp, adapter.beforeSpawn?.(options, hostEnv));
          variables = await variablesOf(adapter, options, hostEnv);
          secrets.push(...variables.secrets);
        }
        const configNames = variables?.names;
        const around = { hostEnv, hostSignals: this.adapters.hostEnvSignals(), cliPath: await cliPath, configNames };
        return openDriver({ run: self, sink, around, resources: this.#resources, trace, over: givenUp });
      },
      dropSession: async (sessionId) => {
        const { sessionStore } = adapter;
        if (!sessionStore || options.invocation.mode !== 'local') return false;
        return dropSession(sessionStore, { sessionId, since: startedAt }, { ...this.#env, ...options.env });
      },
      tidyUp: async () => (scratch ? removeScratch(options.scratchDir) : undefined),
      finished: async (result) => {
        this.#runs.delete(run);
        over.abort();
        await version;
        await trace?.close();
        if (result && isHere(options)) await this.#quotas.learn(result);
        if (result) await this.#record(options, { startedAt, secrets }, result);
      },
    });
    this.#runs.add(run);
    run.start();
    return createHandle(run);
  }

  runOnce(request: RunOnceRequest): Promise<RunOnceResult> {
    return runOnce((options) => this.run(options), request, this.adapters);
  }

  async quota(agent: string): Promise<QuotaStatus | null> {
    this.adapters.get(agent);
    const running = [...this.#runs].filter((run) => run.options.agent === agent && isHere(run.options));
    return this.#quotas.read(
      agent,
      running.flatMap((run) => run.quota ?? []),
    );
  }

  async health(agent: string): Promise<HealthStatus> {
    return checkHealth({ adapters: this.adapters, env: this.#env }, this.adapters.get(agent));
  }

  detectHost(): { agent: string; signal: string } | null {
    return detectHost(this.adapters, this.#env);
  }

  /** The commands that `install`, `update` or `uninstall` would run. */
  planInstall(agent: string, options?: InstallPlanOptions): Promise<InstallPlan> {
    return this.#installer.plan(agent, options);
  }

  install(agent: string, options?: InstallOptions): Promise<InstallOutcome> {
    return this.#installer.install(agent, options);
  }

  update(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome> {
    return this.#installer.update(agent, options);
  }

  uninstall(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome> {
    return this.#installer.uninstall(agent, options);
  }

  async doctor(options?: DoctorOptions): Promise<Finding[]> {
    return onDemand.doctor().examine({ adapters: this.adapters, env: this.#env, own: this.ownState() }, options);
  }

  /** For `doctor`: what is known of agent-mux's own files. */
  protected ownState(): OwnState {
    return {};
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#runs].map((run) => run.abort('the client was closed').catch(() => {})));
    await Promise.all([this.adapters.close(), this.#resources.shared.close(), this.#resources.servers.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Its processes are found by it: two runs of one id would end each other. */
  #refuseTakenId({ runId, agent }: ResolvedRunOptions): void {
    if (![...this.#runs].some((run) => run.options.runId === runId)) return;
    const problem = `"${runId}" belongs to a run that has not ended`;
    throw new ValidationError('run options', [{ field: 'runId', problem }], { agent });
  }

  async #lookup(adapter: AgentAdapter, options: ResolvedRunOptions): Promise<string | null> {
    if (adapter.needsNoInstall || options.invocation.mode !== 'local') return null;
    return this.adapters.find(adapter.agent);
  }

  #openTrace(path: string, options: ResolvedRunOptions, secrets: readonly string[], run: () => Run): TraceWriter {
    const { runId, agent } = options;
    const onFault = ({ message }: Error) => run().note({ type: 'debug', level: 'warn', code: 'trace_failed', message });
    return new TraceWriter(path, { runId, agent, secrets, onFault });
  }

  /** Undefined: this run is not remembered. */
  #recordFolder({ noSession, cwd }: ResolvedRunOptions): string | undefined {
    const { runIndex } = this.#options;
    return runIndex === false || noSession ? undefined : (runIndex ?? cwd);
  }

  async #record(
    options: ResolvedRunOptions,
    run: { startedAt: number; secrets: readonly string[] },
    result: RunResult,
  ): Promise<void> {
    const dir = this.#recordFolder(options);
    if (dir === undefined) return;
    // An index that cannot be written (a read-only project, a full disk) must not fail a run that went well.
    await appendRunRecord(dir, runRecordOf(result, { ...run, cwd: options.cwd }));
  }
}

/** What is kept on this machine for each agent; loaded when it is asked for. */
function keepersOf(around: Around) {
  return {
    sessions: once(() => new (onDemand.sessions().Sessions)(around)),
    config: once(() => new (onDemand.nativeConfigs().NativeConfigs)(around)),
    mcp: once(() => new (onDemand.mcpServers().McpServers)(around)),
    plugins: once(() => new (onDemand.plugins().Plugins)(around)),
    skills: once(() => new (onDemand.skills().Skills)(around)),
  };
}

/** Elsewhere an agent may have another login. */
function isHere({ invocation }: ResolvedRunOptions): boolean {
  return invocation.mode === 'local';
}

/** What is waited for, or the end of waiting. */
async function unless(over: AbortSignal, work: Promise<void> | undefined): Promise<void> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const leave = () => reject(over.reason);
  over.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([work, ended]);
  } finally {
    over.removeEventListener('abort', leave);
  }
}

/** What the agent's own configuration on this machine names, and what of it the agent has. */
async function variablesOf(
  adapter: AgentAdapter,
  { cwd, env, inheritEnv }: ResolvedRunOptions,
  hostEnv: NodeJS.ProcessEnv,
) {
  const named = await readConfigEnv(adapter.configSchema, { env: hostEnv, cwd });
  const names = named.flatMap(({ name, scope }) => (scope === 'global' ? [name] : []));
  const envAllowList = [...(adapter.envAllowList ?? []), ...names];
  const secrets = named.flatMap(({ name, login }) => (login && hostEnv[name]) || []);
  return { named, names, secrets, env: buildChildEnv({ hostEnv, envAllowList, inheritEnv, extra: env }) };
}

function checkTimes({ idleTimeout, handshakeTimeout }: CoreClientOptions): void {
  const issues = Object.entries({ idleTimeout, handshakeTimeout })
    .filter(([, ms]) => ms !== undefined && !(ms >= 0))
    .map(([field, ms]) => ({ field, problem: `${ms} is no number of milliseconds from 0` }));
  if (issues.length > 0) throw new ValidationError('client options', issues);
}
