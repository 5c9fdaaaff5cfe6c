import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentAdapter,
  type AgentCapabilities,
  type AgentEvent,
  type AgentMode,
  type AgentMuxClient,
  AgentMuxError,
  type ApprovalMode,
  type HookSpec,
  kindOfTool,
  type Limitation,
  modesOf,
  type RunHandle,
  type RunOptions,
  type TerminalSpec,
} from '@agent-mux/core';
import type { DaemonCommand } from '../chaos/drive/daemon-process.ts';
import { assertEventOrder } from '../event-order.ts';
import type { ModelRequest, Reply, Scenario, ScriptedModel } from '../model/index.ts';
import { reply } from '../model/index.ts';
import { type AgentQuirks, type AgentSetup, quirksOf, type ScriptedCall } from './agent-setup.ts';
import type { DaemonCarrier } from './carrier/daemon-carrier.ts';
import { runEnvironment } from './environment.ts';
import { differencesOf, type Exception, isSwitchedOff } from './not-asserted.ts';
import { type LivingProcess, processesWithHome } from './processes.ts';
import { type EventHandler, RecordedRun, summarize } from './recorded-run.ts';
import type { Carrier } from './verify-case.ts';

/** Time for the processes of a finished case to exit. */
const GONE_WITHIN_MS = 6000;
/** The command line of a keeper: it sets its own title, and before that shows its program. */
const KEEPER = /^amux-keeper |\/daemon\/(?:src|dist)\/keeper\//;
/** Maximum wait for anything; the case's own timeout ends it before. */
const RUN_TIMEOUT_MS = 100_000;

export interface BenchSetup {
  adapter: AgentAdapter;
  mode: AgentMode;
  setup: AgentSetup;
  model: ScriptedModel;
  home: string;
  /** HOME of the user who runs the agent. */
  env: Readonly<Record<string, string>>;
  /** The folder of this case. */
  folder: string;
  /** Processes that existed before, such as a server of the user. */
  ignored: ReadonlySet<number>;
  /** Results that cases of this group share. */
  shared: Map<string, unknown>;
  /** A folder of all groups of this agent, for files that its CLI unpacks only once. */
  warm?: string;
  client: AgentMuxClient;
  /** A client that reads the configuration files of this user. Absent: none. */
  openConfigured?: OpenConfigured;
  /** Absent: neither is available. */
  commands?: BenchCommands;
  /** Present: runs are sessions of this daemon. Absent: they run in this process. */
  daemon?: DaemonCarrier;
  /** Exceptions that may switch off an assertion of this case. */
  unasserted?: readonly Exception[];
}

/** Programs of agent-mux itself. */
export interface BenchCommands {
  amux: DaemonCommand;
  daemon: DaemonCommand;
}

export type OpenConfigured = (options: {
  env: NodeJS.ProcessEnv;
  cwd: string;
  runIndex: false;
}) => Pick<AgentMuxClient, 'run' | 'close'>;

export type BenchRunOptions = Partial<RunOptions> & { prompt?: string };

/** Tools of a case: the real agent through the public client, the scripted model, and a separate folder. */
export class Bench {
  readonly mode: AgentMode;
  readonly setup: AgentSetup;
  readonly quirks: AgentQuirks;
  readonly capabilities: AgentCapabilities;
  readonly client: AgentMuxClient;
  readonly model: ScriptedModel;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly commands: BenchCommands | undefined;
  readonly #daemon: DaemonCarrier | undefined;
  readonly #unasserted: readonly Exception[];
  /** Variables of runs, in addition to the user's environment. */
  readonly runEnv: Readonly<Record<string, string>>;
  /** Events of every run so far, for the report of a failure. */
  readonly seen: AgentEvent[][] = [];
  readonly #adapter: AgentAdapter;
  readonly #openConfigured: OpenConfigured | undefined;
  readonly #firstRequest: number;
  readonly #ignored: ReadonlySet<number>;
  readonly #shared: Map<string, unknown>;
  readonly #handles: RunHandle[] = [];
  #runs = 0;

  constructor(options: BenchSetup) {
    const { adapter, mode, setup, model, home, folder } = options;
    this.#adapter = adapter;
    this.#openConfigured = options.openConfigured;
    this.#ignored = options.ignored;
    this.#shared = options.shared;
    this.commands = options.commands;
    this.#daemon = options.daemon;
    this.#unasserted = options.unasserted ?? [];
    this.runEnv = runEnvironment(setup, options.warm);
    this.mode = mode;
    this.setup = setup;
    this.quirks = quirksOf(setup, mode.name);
    this.capabilities = mode.capabilities;
    this.model = model;
    this.home = home;
    this.env = options.env;
    this.folder = folder;
    this.cwd = join(folder, 'work');
    mkdirSync(this.cwd, { recursive: true });
    this.#firstRequest = model.requests.length;
    this.client = options.client;
  }

  get #runTimeoutMs(): number {
    return RUN_TIMEOUT_MS * (this.setup.patience ?? 1);
  }

  get agent(): string {
    return this.#adapter.agent;
  }

  get cliCommand(): string {
    return this.#adapter.cliCommand;
  }

  /** How its terminal UI is started. */
  get facet(): TerminalSpec | undefined {
    return this.#adapter.terminal;
  }

  get hooks(): HookSpec | undefined {
    return this.#adapter.hooks;
  }

  /** Tools offered to the model that are not classified. */
  unclassified(offered: readonly string[]): string[] {
    const { toolKinds = {} } = this.#adapter;
    const { ownName = (name) => name } = this.setup;
    return offered.map(ownName).filter((name) => kindOfTool(name, toolKinds) === undefined);
  }

  /**
   * False: this assertion is switched off for the mode. The case must declare the exception, so that its result says
   * so.
   */
  asserts(exception: Exception): boolean {
    assert.ok(this.#unasserted.includes(exception), `the case does not declare the exception ${exception}`);
    return !isSwitchedOff(differencesOf(this.setup, this.mode), exception);
  }

  get carrier(): Carrier {
    return this.#daemon ? 'daemon' : 'process';
  }

  get daemon(): DaemonCarrier {
    assert.ok(this.#daemon, 'this case needs a daemon');
    return this.#daemon;
  }

  /** The mode declares the limitation, so the run must warn of it instead of the usual assertion. */
  warnsOf(run: RecordedRun, limitation: Limitation): boolean {
    if (this.asserts(limitation)) return false;
    const code = limitation.replaceAll('-', '_');
    assert.ok(
      run.of('debug').some((event) => event.level === 'warn' && event.code === code),
      `no warning ${code}: ${run.summary}`,
    );
    return true;
  }

  get isDefaultMode(): boolean {
    return modesOf(this.#adapter)[0]?.name === this.mode.name;
  }

  /** Requests to the model in this case, without auxiliary ones. */
  get requests(): readonly ModelRequest[] {
    return this.allRequests.filter((request) => !request.auxiliary);
  }

  get allRequests(): readonly ModelRequest[] {
    return this.model.requests.slice(this.#firstRequest);
  }

  request(index: number): ModelRequest {
    const found = this.requests.at(index);
    assert.ok(found, `the model got ${this.requests.length} requests, not request ${index}`);
    return found;
  }

  /** Resolves when the model has been called for the first time in this case. */
  async asked(): Promise<ModelRequest> {
    const first = this.#firstRequest;
    return this.model.waitForRequest(({ index, auxiliary }) => index >= first && !auxiliary, this.#runTimeoutMs);
  }

  script(scenario: Scenario): void {
    this.model.setScenario(scenario);
  }

  /** One reply per request, in order; the last one is repeated forever. */
  replies(...replies: readonly (Reply | string)[]): void {
    let next = 0;
    this.script(() => replies[Math.min(next++, replies.length - 1)]!);
  }

  shell(command: string, onto: Reply = reply): Reply {
    return call(onto, this.setup.shellTool(command));
  }

  write(path: string, content: string, onto: Reply = reply): Reply {
    return call(onto, this.setup.writeTool(path, content));
  }

  look(path: string): Reply | undefined {
    const { readTool } = this.setup;
    return readTool && call(reply, readTool(path));
  }

  /** The mode in which tools run without approvals. */
  get freeMode(): ApprovalMode {
    const { approvalModes } = this.capabilities;
    return approvalModes.includes('yolo') ? 'yolo' : (approvalModes.at(-1) ?? 'prompt');
  }

  /** The mode that allows the least without asking; `plan` has its own rules. */
  get strictest(): ApprovalMode {
    const { approvalModes } = this.capabilities;
    return (['prompt', 'deny', 'accept-edits'] as const).find((mode) => approvalModes.includes(mode)) ?? this.freeMode;
  }

  /** A folder outside the working directory. */
  siblingFolder(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  openConfigured(): ReturnType<OpenConfigured> {
    assert.ok(this.#openConfigured, 'no client for configuration files');
    return this.#openConfigured({ env: { ...this.env }, cwd: this.home, runIndex: false });
  }

  options(given: BenchRunOptions): RunOptions {
    this.#runs += 1;
    const { setup, capabilities } = this;
    return {
      agent: this.agent,
      mode: this.mode.name,
      cwd: this.cwd,
      approvalMode: this.freeMode,
      timeout: this.#runTimeoutMs,
      tracePath: join(this.folder, `run-${this.#runs}.trace.jsonl`),
      prompt: 'Say hello.',
      ...(capabilities.supportsModelSelection ? { model: setup.model.name } : {}),
      ...given,
      env: { ...this.runEnv, ...given.env },
    };
  }

  /** Reads a run to its end; `handler` is awaited for each event, so that it can answer, send or interrupt. */
  async run(given: BenchRunOptions = {}, handler?: EventHandler): Promise<RecordedRun> {
    return this.read(this.start(given), handler);
  }

  /**
   * Why a run with these options is refused; undefined: it is not. In this process it is thrown before anything starts.
   */
  async refusalOf(options: RunOptions): Promise<AgentMuxError | undefined> {
    try {
      if (this.#daemon) await this.#daemon.client.run(options).result;
      else await this.client.run(options).abort('it was not refused');
    } catch (error) {
      if (error instanceof AgentMuxError) return error;
      throw error;
    }
    return undefined;
  }

  /** Starts a run, in this process or as a session of the daemon. */
  start(given: BenchRunOptions = {}): RunHandle {
    return (this.#daemon?.client ?? this.client).run(this.options(given));
  }

  async read(handle: RunHandle, handler?: EventHandler): Promise<RecordedRun> {
    const events: AgentEvent[] = [];
    this.#handles.push(handle);
    this.seen.push(events);
    for await (const event of handle) {
      events.push(event);
      await handler?.(event, handle);
    }
    assertEventOrder(this.#daemon ? renumber(events) : events);
    return new RecordedRun(events, await handle.result);
  }

  /** The value of an earlier case of this group, or a new one: a plain request, a finished session. */
  async once<T>(name: string, make: () => Promise<T>): Promise<T> {
    if (!this.#shared.has(name)) this.#shared.set(name, await make());
    return this.#shared.get(name) as T;
  }

  path(name: string): string {
    return join(this.cwd, name);
  }

  exists(name: string): boolean {
    return existsSync(this.path(name));
  }

  text(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  put(name: string, content: string | Uint8Array): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Running processes of the agent. */
  processes(): LivingProcess[] {
    return this.allProcesses().filter(({ command }) => !KEEPER.test(command));
  }

  /** Keepers included. */
  allProcesses(): LivingProcess[] {
    return processesWithHome(this.home).filter(({ pid }) => !this.#ignored.has(pid) && pid !== this.#daemon?.pid);
  }

  /** Ends every run of the case, removes its sessions from the daemon, and returns leftovers. */
  async close(): Promise<{ processes: LivingProcess[]; files: string[] }> {
    await Promise.all(this.#handles.map((handle) => handle.abort('the case is over').catch(() => {})));
    const files = (await this.#daemon?.clear()) ?? [];
    const until = performance.now() + GONE_WITHIN_MS;
    while (this.allProcesses().length > 0 && performance.now() < until) await sleep(50);
    return { processes: this.allProcesses(), files };
  }

  get story(): string {
    return this.seen.map((events, index) => `run ${index + 1}: ${summarize(events)}`).join('\n');
  }
}

/** Events of a session share their numbers with notes that a run does not show. */
function renumber(events: readonly AgentEvent[]): AgentEvent[] {
  for (const [index, { seq }] of events.entries())
    assert.ok(index === 0 || seq > events[index - 1]!.seq, `seq ${seq} comes after ${events[index - 1]?.seq}`);
  return events.map((event, seq) => ({ ...event, seq }));
}

function call(onto: Reply, { name, input }: ScriptedCall): Reply {
  return onto.toolCall(name, input);
}
