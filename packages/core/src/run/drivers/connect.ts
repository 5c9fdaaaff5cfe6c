import { guardHttpCodec, guardLineCodec, guardServer, guardShare } from '../../border/guard-live.ts';
import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import type { EventBody } from '../../contract/events.ts';
import type { HttpCall, HttpLive, HttpMessage, StdioLive } from '../../contract/live.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { stampConfig } from '../../native-config/config-stamps.ts';
import type { SpawnPlan } from '../../process/place/link.ts';
import type { TraceWriter } from '../../process/trace.ts';
import { HttpChannel } from '../channels/http.ts';
import { openOwnProcess } from '../channels/own-process.ts';
import type { AgentServers } from '../channels/servers.ts';
import type { SharedProcesses } from '../channels/shared-process.ts';
import { likenessOf, type PlanSurroundings, planSpawn } from '../plan/plan.ts';
import { writeHelperFiles } from '../plan/scratch.ts';
import type { Watchdogs } from '../turns/watchdogs.ts';
import type { DecodeProgress } from './decode.ts';
import type { Driver, DriverSink } from './driver.ts';
import { LiveDriver } from './live.ts';
import { OneshotDriver } from './oneshot.ts';

export interface Resources {
  shared: SharedProcesses;
  servers: AgentServers;
  handshakeMs: number;
}

/** The run that is to be connected, as far as its driver needs to know it. */
interface ConnectingRun {
  readonly adapter: AgentAdapter;
  readonly mode: AgentMode;
  readonly options: ResolvedRunOptions;
  readonly progress: DecodeProgress;
  readonly sequence: { readonly turnIndex: number; readonly turnOpen: boolean; readonly sessionId: string | undefined };
  readonly requests: { readonly waiting: boolean };
  readonly watchdogs: Pick<Watchdogs, 'tighten'>;
  note(body: EventBody): void;
}

export interface Way {
  run: ConnectingRun;
  sink: DriverSink;
  around: PlanSurroundings;
  resources: Resources;
  trace: TraceWriter | undefined;
  /** Nobody waits any longer. */
  over: AbortSignal;
}

/** Picks the driver of the run's mode and opens the way to the agent. */
export async function openDriver(way: Way): Promise<Driver> {
  const { adapter, mode } = way.run;
  const { live } = mode;
  if (live?.transport === 'http') return driveServer(way, live);
  if (live) return live.share ? driveShared(way, live, live.share) : driveOwn(way, live);
  if (mode.driver === 'oneshot') return driveOnce(way);
  throw new AgentMuxError('INTERNAL_ERROR', `mode "${mode.name}" of ${adapter.agent} has no live facet`);
}

function driveOnce({ run, sink, around, trace }: Way): Driver {
  const { adapter, mode, options, progress, sequence } = run;
  return new OneshotDriver({
    adapter,
    mode,
    options,
    plan: planner({ run, around }).planWithFiles,
    sessionId: () => sequence.sessionId,
    turnIndex: () => sequence.turnIndex,
    progress,
    trace,
    sink,
  });
}

function driveOwn(way: Way, live: StdioLive): Driver {
  const { run, trace } = way;
  const { options } = run;
  const { planWithFiles } = planner(way);
  return new LiveDriver<string, string>({
    ...conversation(way, live),
    codec: guardLineCodec(run.adapter.agent, live),
    open: (sink) =>
      openOwnProcess(planWithFiles(options), { runId: options.runId, asText: live.framing === 'text', sink, trace }),
  });
}

async function driveShared(way: Way, live: StdioLive, share: NonNullable<StdioLive['share']>): Promise<Driver> {
  const { run, trace, resources } = way;
  const { adapter, options } = run;
  const { launch, sharedBy } = planner(way);
  const { runId } = options;
  const { shared } = resources;
  const { key: keyOf, channelOf, route, mayAnswerLater } = guardShare(adapter.agent, share, teller(way));
  const key = sharedBy(keyOf(options));
  const release = share.oneAtATime ? await takeTurn(way, key) : undefined;
  try {
    return new LiveDriver<string, string>({
      ...conversation(way, live),
      codec: guardLineCodec(adapter.agent, live),
      seat: shared.seatFor({ key, launch, runId }),
      open: (sink, state) =>
        shared.join({
          key,
          channel: channelOf(state),
          route,
          asText: live.framing === 'text',
          mayAnswerLater: () => mayAnswerLater(state),
          launch,
          runId,
          sink,
          trace,
          release,
        }),
    });
  } catch (error) {
    release?.();
    throw error;
  }
}

function driveServer(way: Way, live: HttpLive): Driver {
  const { run, around, resources, trace } = way;
  const { adapter, options } = run;
  const { launch, sharedBy } = planner(way);
  // A server that is to be started is looked for now: later it would be a crash.
  if (!live.server.baseUrl && around.cliPath === null) planSpawn(adapter, options, around);
  const spec = guardServer(adapter.agent, live.server, teller(way));
  const server = () => {
    const key = spec.shareKey?.(options);
    return { launch, sharedBy: key === undefined ? undefined : sharedBy(key) };
  };
  const { servers } = resources;
  return new LiveDriver<HttpCall, HttpMessage>({
    ...conversation(way, live),
    codec: guardHttpCodec(adapter.agent, live),
    open: (sink) => new HttpChannel({ spec, options, env: around.hostEnv, server, servers, trace, sink }),
  });
}

function conversation<Facet extends StdioLive | HttpLive>({ run, sink, resources, over }: Way, facet: Facet) {
  const { adapter, mode, options, progress, sequence, requests } = run;
  return {
    adapter,
    mode,
    facet,
    options,
    turnActive: () => sequence.turnOpen,
    asking: () => requests.waiting,
    turnIndex: () => sequence.turnIndex,
    progress,
    sink,
    handshakeMs: resources.handshakeMs,
    over,
  };
}

/** How this run's agent is started: for itself, or as something that runs share. */
function planner({ run, around }: Pick<Way, 'run' | 'around'>) {
  const { adapter, options, watchdogs } = run;
  let told = '';
  const plan = (turnOptions: ResolvedRunOptions): SpawnPlan => {
    const { plan: spawn, dropped } = planSpawn(adapter, turnOptions, around);
    const names = dropped.join(', ');
    if (names !== '' && names !== told) {
      told = names;
      const message = `the adapter of ${adapter.displayName} hands on what is the host's and not the agent's; left out: ${names}. Pass what it needs with the option env`;
      run.note({ type: 'debug', level: 'warn', code: 'env_dropped', message });
    }
    watchdogs.tighten(spawn.timeout, spawn.inactivityTimeout);
    return spawn;
  };
  return {
    planWithFiles: (turnOptions: ResolvedRunOptions): SpawnPlan => {
      const spawn = plan(turnOptions);
      writeHelperFiles(turnOptions.scratchDir, spawn);
      return spawn;
    },
    // A process that outlives this run has its files in a folder of its own.
    launch: {
      plan: (scratchDir: string) => plan({ ...options, scratchDir }),
      config: () => stampConfig(adapter, options, around.hostEnv),
    },
    /** Runs share what they would start in the same way, and what the adapter says is the same. */
    sharedBy: (key: string) => [options.agent, key, likenessOf(plan(options), options.scratchDir)].join('\n'),
  };
}

function teller({ sink }: Way): (fault: EventBody) => void {
  return (fault) => sink.events([fault], undefined, 0);
}

/** A run that must wait says so at once, though its agent has said nothing yet. */
function takeTurn({ run, sink, resources, over }: Way, key: string): Promise<() => void> {
  return resources.shared.takeTurn(key, over, (before) => {
    const { displayName } = run.adapter;
    const message = `${displayName} serves one run at a time, and ${before} ${before === 1 ? 'is' : 'are'} before this one`;
    const debug = { type: 'debug', level: 'info', code: 'waits_for_turn', message, data: { before } } as const;
    sink.events([{ type: 'session_start' }, debug], undefined, 0);
  });
}
