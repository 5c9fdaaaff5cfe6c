import type { AdapterManifest, AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError, ValidationError } from '../contract/errors.ts';
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
} from '../contract/management.ts';
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
import type { AgentTerminal, TerminalRequest } from '../contract/terminal.ts';
import type { SelfState } from '../doctor/doctor.ts';
import { checkHealth } from '../doctor/health.ts';
import type { Plugins } from '../extensions/plugins.ts';
import type { Skills } from '../extensions/skills.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { lazyModules } from '../lazy-modules.ts';
import { QuotaStore } from '../limits/quota-store.ts';
import type { McpServers } from '../native-config/mcp-servers.ts';
import type { NativeConfigs } from '../native-config/native-configs.ts';
import { detectHost } from '../registry/host.ts';
import { Registry } from '../registry/registry.ts';
import { HANDSHAKE_LIMIT_MS } from '../run/channels/handshake.ts';
import { AgentServers } from '../run/channels/servers.ts';
import { SharedProcesses } from '../run/channels/shared-process.ts';
import { createHandle } from '../run/handle.ts';
import { resolveRun } from '../run/options/resolve-run.ts';
import { Run } from '../run/run.ts';
import { HostRunContext, isLocal, type RunHost } from '../run/run-context.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type AgentManagement, createManagement, type ManagementContext, once } from './management.ts';
import { runOnce } from './run-once.ts';

export interface CoreClientOptions extends ClientOptions {
  /** Registered as built-in adapters. */
  adapters?: readonly (AgentAdapter | AdapterManifest)[];
}

/** Creates a client with exactly these adapters. The `agent-mux` package has one with all of them. */
export function createClient(options: CoreClientOptions = {}): Client {
  return new Client(options);
}

export class Client implements AgentMuxClient {
  readonly adapters: Registry;
  readonly auth: AuthApi;
  readonly models: ModelsApi;
  readonly #installer: AgentManagement['installer'];
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
      quotas: new QuotaStore(this.#env, { keep: options.runIndex !== false }),
      runIndex: options.runIndex,
      ...(options.policy ? { policy: options.policy } : {}),
    };
    for (const adapter of options.adapters ?? []) this.adapters.registerBuiltIn(adapter);
    const context = { adapters: this.adapters, env: this.#env };
    const { auth, models, installer } = createManagement(context);
    this.auth = auth;
    this.models = models;
    this.#installer = installer;
    this.#keepers = keepersOf(context);
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

  run(runOptions: RunOptions): RunHandle {
    if (this.#closed) throw new AgentMuxError('RUN_ENDED', 'this client is closed', { hint: 'create a new one' });
    const { profiles, defaults, retryPolicy, debug } = this.#options;
    const adapterOf = (agent: string) => this.adapters.get(agent);
    const { adapter, mode, options } = resolveRun(runOptions, { adapterOf, profiles, defaults, retryPolicy, debug });
    this.#refuseTakenId(options);
    const context = new HostRunContext(this.#host, adapter, options, {
      note: (body) => run.note(body),
      finished: () => this.#runs.delete(run),
    });
    const run: Run = new Run(adapter, mode, options, context);
    this.#runs.add(run);
    const handle = createHandle(run);
    run.start();
    return handle;
  }

  runOnce(request: RunOnceRequest): Promise<RunOnceResult> {
    return runOnce((options) => this.run(options), request, this.adapters);
  }

  /** Opens the agent's terminal UI; `print` receives its output. */
  openTerminal(request: TerminalRequest, print: (bytes: Buffer) => void): Promise<AgentTerminal> {
    return lazyModules.terminal().openAgentTerminal({ adapters: this.adapters, env: this.#env }, request, print);
  }

  async quota(agent: string): Promise<QuotaStatus | null> {
    this.adapters.get(agent);
    const running = [...this.#runs].filter((run) => run.options.agent === agent && isLocal(run.options));
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
    return lazyModules.doctor().runDoctor({ adapters: this.adapters, env: this.#env, own: this.ownState() }, options);
  }

  /** For `doctor`: state of agent-mux's own files. */
  protected ownState(): SelfState {
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

  /** Processes are found by run id: two runs with the same id would end each other. */
  #refuseTakenId({ runId, agent }: ResolvedRunOptions): void {
    if (![...this.#runs].some((run) => run.options.runId === runId)) return;
    const problem = `"${runId}" belongs to a run that has not ended`;
    throw new ValidationError('run options', [{ field: 'runId', problem }], { agent });
  }
}

/** Managers of the agents' files on this machine, loaded on first use. */
function keepersOf(context: ManagementContext) {
  return {
    sessions: once(() => new (lazyModules.sessions().Sessions)(context)),
    config: once(() => new (lazyModules.nativeConfigs().NativeConfigs)(context)),
    mcp: once(() => new (lazyModules.mcpServers().McpServers)(context)),
    plugins: once(() => new (lazyModules.plugins().Plugins)(context)),
    hooks: once(() => new (lazyModules.hooks().Hooks)(context)),
    skills: once(() => new (lazyModules.skills().Skills)(context)),
  };
}

function checkTimes({ idleTimeout, handshakeTimeout }: CoreClientOptions): void {
  const issues = Object.entries({ idleTimeout, handshakeTimeout })
    .filter(([, ms]) => ms !== undefined && !(ms >= 0))
    .map(([field, ms]) => ({ field, problem: `${ms} is not a valid number of milliseconds` }));
  if (issues.length > 0) throw new ValidationError('client options', issues);
}
