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
  type HookFacet,
  kindOfTool,
  type Limitation,
  modesOf,
  type RunHandle,
  type RunOptions,
  type TerminalFacet,
} from '@agent-mux/core';
import type { DaemonCommand } from '../chaos/drive/daemon-process.ts';
import type { ModelRequest, Reply, Scenario, ScriptedModel } from '../model/index.ts';
import { reply } from '../model/index.ts';
import { assertEventOrder } from '../order.ts';
import { type AgentProof, type ProofQuirks, quirksOf, type ScriptedCall } from './agent-proof.ts';
import type { ProofDaemon } from './carrier/proof-daemon.ts';
import { differencesOf, type Exception, isSwitchedOff } from './not-asserted.ts';
import { type LivingProcess, processesWithHome } from './processes.ts';
import type { Carrier } from './proof-case.ts';
import { type EventHandler, RecordedRun, summarise } from './recorded-run.ts';
import { runEnvironment } from './surroundings.ts';

/** How long the processes of a finished case may take to be gone. */
const GONE_WITHIN_MS = 6000;
/** The command line of a keeper: it sets its own title, and before that shows its program. */
const KEEPER = /^amux-keeper |\/daemon\/(?:src|dist)\/keeper\//;
/** No case waits longer than this for anything; the case's own limit ends it before. */
const RUN_TIMEOUT_MS = 100_000;

export interface BenchSetup {
  adapter: AgentAdapter;
  mode: AgentMode;
  proof: AgentProof;
  model: ScriptedModel;
  home: string;
  /** Of the user who runs the agent. */
  env: Readonly<Record<string, string>>;
  /** The folder of this case. */
  folder: string;
  /** Processes that were there before, such as a server that the user has started. */
  ignored: ReadonlySet<number>;
  /** What cases of this group share, so that it is done once. */
  shared: Map<string, unknown>;
  /** A folder of all groups of this agent, for what its CLI unpacks only once. */
  warm?: string;
  client: AgentMuxClient;
  /** A client that reads the configuration files of this user. Absent: whoever runs this has none. */
  openConfigured?: OpenConfigured;
  /** Absent: whoever runs this has neither. */
  commands?: OwnCommands;
  /** Present: runs are sessions of this daemon. Absent: they run in this process. */
  daemon?: ProofDaemon;
  /** What may switch off an assertion of this case. */
  unasserted?: readonly Exception[];
}

/** Programs of agent-mux itself. */
export interface OwnCommands {
  amux: DaemonCommand;
  daemon: DaemonCommand;
}

export type OpenConfigured = (options: {
  env: NodeJS.ProcessEnv;
  cwd: string;
  runIndex: false;
}) => Pick<AgentMuxClient, 'run' | 'close'>;

export type BenchRunOptions = Partial<RunOptions> & { prompt?: string };

/** What a case works with: the real agent through the public client, the scripted model, and a folder of its own. */
export class Bench {
  readonly mode: AgentMode;
  readonly proof: AgentProof;
  readonly quirks: ProofQuirks;
  readonly capabilities: AgentCapabilities;
  readonly client: AgentMuxClient;
  readonly model: ScriptedModel;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly commands: OwnCommands | undefined;
  readonly #daemon: ProofDaemon | undefined;
  readonly #unasserted: readonly Exception[];
  /** What runs are given beside the user's environment. */
  readonly runEnv: Readonly<Record<string, string>>;
  /** Of every run so far, for the report of a failure. */
  readonly seen: AgentEvent[][] = [];
  readonly #adapter: AgentAdapter;
  readonly #openConfigured: OpenConfigured | undefined;
  readonly #firstRequest: number;
  readonly #ignored: ReadonlySet<number>;
  readonly #shared: Map<string, unknown>;
  readonly #handles: RunHandle[] = [];
  #runs = 0;

  constructor(setup: BenchSetup) {
    const { adapter, mode, proof, model, home, folder } = setup;
    this.#adapter = adapter;
    this.#openConfigured = setup.openConfigured;
    this.#ignored = setup.ignored;
    this.#shared = setup.shared;
    this.commands = setup.commands;
    this.#daemon = setup.daemon;
    this.#unasserted = setup.unasserted ?? [];
    this.runEnv = runEnvironment(proof, setup.warm);
    this.mode = mode;
    this.proof = proof;
    this.quirks = quirksOf(proof, mode.name);
    this.capabilities = mode.capabilities;
    this.model = model;
    this.home = home;
    this.env = setup.env;
    this.folder = folder;
    this.cwd = join(folder, 'work');
    mkdirSync(this.cwd, { recursive: true });
    this.#firstRequest = model.requests.length;
    this.client = setup.client;
  }

  get #runTimeoutMs(): number {
    return RUN_TIMEOUT_MS * (this.proof.patience ?? 1);
  }

  get agent(): string {
    return this.#adapter.agent;
  }

  get cliCommand(): string {
    return this.#adapter.cliCommand;
  }

  /** How its own screen is started. */
  get facet(): TerminalFacet | undefined {
    return this.#adapter.terminal;
  }

  get hooks(): HookFacet | undefined {
    return this.#adapter.hooks;
  }

  /** Of the tools that the model was offered: those of which nobody has said what they do. */
  unclassified(offered: readonly string[]): string[] {
    const { toolKinds = {} } = this.#adapter;
    const { ownName = (name) => name } = this.proof;
    return offered.map(ownName).filter((name) => kindOfTool(name, toolKinds) === undefined);
  }

  /** False: this assertion is switched off for the mode. The case must declare the exception, so that its result says so. */
  asserts(exception: Exception): boolean {
    assert.ok(this.#unasserted.includes(exception), `the case does not declare the exception ${exception}`);
    return !isSwitchedOff(differencesOf(this.proof, this.mode), exception);
  }

  get carrier(): Carrier {
    return this.#daemon ? 'daemon' : 'process';
  }

  get daemon(): ProofDaemon {
    assert.ok(this.#daemon, 'this case needs a daemon');
    return this.#daemon;
  }

  /** The mode declares it, so that the run must warn of it in place of what a case would else assert. */
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

  /** What the model was asked in this case, without the CLI's own errands. */
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

  /** Resolves when the model has been asked for the first time in this case. */
  async asked(): Promise<ModelRequest> {
    const first = this.#firstRequest;
    return this.model.waitForRequest(({ index, auxiliary }) => index >= first && !auxiliary, this.#runTimeoutMs);
  }

  script(scenario: Scenario): void {
    this.model.setScenario(scenario);
  }

  /** One reply per request, in order; the last one goes on for ever. */
  replies(...replies: readonly (Reply | string)[]): void {
    let next = 0;
    this.script(() => replies[Math.min(next++, replies.length - 1)]!);
  }

  shell(command: string, onto: Reply = reply): Reply {
    return call(onto, this.proof.shellTool(command));
  }

  write(path: string, content: string, onto: Reply = reply): Reply {
    return call(onto, this.proof.writeTool(path, content));
  }

  look(path: string): Reply | undefined {
    const { readTool } = this.proof;
    return readTool && call(reply, readTool(path));
  }

  /** The mode in which tools run without anybody who answers. */
  get freeMode(): ApprovalMode {
    const { approvalModes } = this.capabilities;
    return approvalModes.includes('yolo') ? 'yolo' : (approvalModes.at(-1) ?? 'prompt');
  }

  /** The mode that lets the least pass without asking; `plan` has rules of its own. */
  get strictest(): ApprovalMode {
    const { approvalModes } = this.capabilities;
    return (['prompt', 'deny', 'accept-edits'] as const).find((mode) => approvalModes.includes(mode)) ?? this.freeMode;
  }

  /** A folder outside of the working folder. */
  folderBeside(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  openConfigured(): ReturnType<OpenConfigured> {
    assert.ok(this.#openConfigured, 'nobody here reads configuration files');
    return this.#openConfigured({ env: { ...this.env }, cwd: this.home, runIndex: false });
  }

  options(given: BenchRunOptions): RunOptions {
    this.#runs += 1;
    const { proof, capabilities } = this;
    return {
      agent: this.agent,
      mode: this.mode.name,
      cwd: this.cwd,
      approvalMode: this.freeMode,
      timeout: this.#runTimeoutMs,
      tracePath: join(this.folder, `run-${this.#runs}.trace.jsonl`),
      prompt: 'Say hello.',
      ...(capabilities.supportsModelSelection ? { model: proof.model.name } : {}),
      ...given,
      env: { ...this.runEnv, ...given.env },
    };
  }

  /** Reads a run to its end; `handler` is awaited for each event, so that it can answer, send or interrupt. */
  async run(given: BenchRunOptions = {}, handler?: EventHandler): Promise<RecordedRun> {
    return this.read(this.start(given), handler);
  }

  /** Why a run with these options is refused; undefined: it is not. In this process it is thrown before anything starts. */
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

  /** The value of an earlier case of this group, or made now: a plain request, a finished session to look at. */
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

  /** What the agent has running. */
  processes(): LivingProcess[] {
    return this.allProcesses().filter(({ command }) => !KEEPER.test(command));
  }

  /** Keepers included. */
  allProcesses(): LivingProcess[] {
    return processesWithHome(this.home).filter(({ pid }) => !this.#ignored.has(pid) && pid !== this.#daemon?.pid);
  }

  /** Ends every run of the case, removes its sessions from the daemon, and returns what is left of them. */
  async close(): Promise<{ processes: LivingProcess[]; files: string[] }> {
    await Promise.all(this.#handles.map((handle) => handle.abort('the case is over').catch(() => {})));
    const files = (await this.#daemon?.clear()) ?? [];
    const until = performance.now() + GONE_WITHIN_MS;
    while (this.allProcesses().length > 0 && performance.now() < until) await sleep(50);
    return { processes: this.allProcesses(), files };
  }

  get story(): string {
    return this.seen.map((events, index) => `run ${index + 1}: ${summarise(events)}`).join('\n');
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
