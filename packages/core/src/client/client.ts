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
import { checkHealth } from '../doctor/health.ts';
import type { Plugins } from '../extensions/plugins.ts';
import type { Skills } from '../extensions/skills.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { QuotaMemory } from '../limits/quota-memory.ts';
import type { McpServers } from '../native-config/mcp-servers.ts';
import type { NativeConfigs } from '../native-config/native-configs.ts';
import { onDemand } from '../on-demand.ts';
import { detectHost } from '../registry/host.ts';
import { Registry } from '../registry/registry.ts';
import { HANDSHAKE_LIMIT_MS } from '../run/channels/handshake.ts';
import { AgentServers } from '../run/channels/servers.ts';
import { SharedProcesses } from '../run/channels/shared-process.ts';
import { createHandle } from '../run/handle.ts';
import { resolveRun } from '../run/options/resolve-run.ts';
import { Run } from '../run/run.ts';
import { HostSurroundings, isHere, type RunHost } from '../run/surroundings.ts';
import type { Sessions } from '../sessions/sessions.ts';
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
  readonly #host: RunHost;
  #closed = false;

  constructor(options: CoreClientOptions = {}) {
    this.#options = options;
    this.#env = options.env ?? process.env;
    checkTimes(options);
    const { idleTimeout, handshakeTimeout: handshakeMs = HANDSHAKE_LIMIT_MS } = options;
    this.adapters = new Registry({ env: this.#env });
    this.#host = {
      adapters: this.adapters,
      env: this.#env,
      resources: {
        shared: new SharedProcesses(idleTimeout),
        servers: new AgentServers(idleTimeout, handshakeMs),
        handshakeMs,
      },
      quotas: new QuotaMemory(this.#env, { keep: options.runIndex !== false }),
      runIndex: options.runIndex,
    };
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

  get hooks(): Hooks {
    return this.#keepers.hooks();
  }

  get skills(): Skills {
    return this.#keepers.skills();
  }

  run(given: RunOptions): RunHandle {
    if (this.#closed) throw new AgentMuxError('RUN_ENDED', 'this client is closed', { hint: 'create a new one' });
    const { profiles, defaults, retryPolicy, debug } = this.#options;
    const adapterOf = (agent: string) => this.adapters.get(agent);
    const { adapter, mode, options } = resolveRun(given, { adapterOf, profiles, defaults, retryPolicy, debug });
    this.#refuseTakenId(options);
    const surroundings = new HostSurroundings(this.#host, adapter, options, {
      note: (body) => run.note(body),
      finished: () => this.#runs.delete(run),
    });
    const run: Run = new Run(adapter, mode, options, surroundings);
    this.#runs.add(run);
    const handle = createHandle(run);
    run.start();
    return handle;
  }

  runOnce(request: RunOnceRequest): Promise<RunOnceResult> {
    return runOnce((options) => this.run(options), request, this.adapters);
  }

  async quota(agent: string): Promise<QuotaStatus | null> {
    this.adapters.get(agent);
    const running = [...this.#runs].filter((run) => run.options.agent === agent && isHere(run.options));
    return this.#host.quotas.read(
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
    const { shared, servers } = this.#host.resources;
    await Promise.all([this.adapters.close(), shared.close(), servers.close()]);
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
}

/** What is kept on this machine for each agent; loaded when it is asked for. */
function keepersOf(around: Around) {
  return {
    sessions: once(() => new (onDemand.sessions().Sessions)(around)),
    config: once(() => new (onDemand.nativeConfigs().NativeConfigs)(around)),
    mcp: once(() => new (onDemand.mcpServers().McpServers)(around)),
    plugins: once(() => new (onDemand.plugins().Plugins)(around)),
    hooks: once(() => new (onDemand.hooks().Hooks)(around)),
    skills: once(() => new (onDemand.skills().Skills)(around)),
  };
}

function checkTimes({ idleTimeout, handshakeTimeout }: CoreClientOptions): void {
  const issues = Object.entries({ idleTimeout, handshakeTimeout })
    .filter(([, ms]) => ms !== undefined && !(ms >= 0))
    .map(([field, ms]) => ({ field, problem: `${ms} is no number of milliseconds from 0` }));
  if (issues.length > 0) throw new ValidationError('client options', issues);
}
