import { guardHttpCodec, guardLineCodec, guardServer, guardShare } from '../../boundary/guard-live.ts';
import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import type { EventBody } from '../../contract/events.ts';
import type { HttpCall, HttpLive, HttpMessage, StdioLive } from '../../contract/live.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { stampConfig } from '../../native-config/config-stamps.ts';
import type { SpawnPlan } from '../../process/remote/link.ts';
import type { TraceWriter } from '../../process/trace.ts';
import { HttpChannel } from '../channels/http.ts';
import { openOwnProcess } from '../channels/own-process.ts';
import type { AgentServers } from '../channels/servers.ts';
import type { SharedProcesses } from '../channels/shared-process.ts';
import { type PlanContext, planSpawn, spawnFingerprint } from '../plan/plan.ts';
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

/** The part of a run that its driver needs. */
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

export interface DriverContext {
  run: ConnectingRun;
  sink: DriverSink;
  context: PlanContext;
  resources: Resources;
  trace: TraceWriter | undefined;
  /** Aborted when no one waits for the agent any longer. */
  over: AbortSignal;
}

/** Opens the driver for the run's mode and connects it to the agent. */
export async function openDriver(ctx: DriverContext): Promise<Driver> {
  const { adapter, mode } = ctx.run;
  const { live } = mode;
  if (live?.transport === 'http') return driveServer(ctx, live);
  if (live) return live.share ? driveShared(ctx, live, live.share) : driveOwn(ctx, live);
  if (mode.driver === 'oneshot') return driveOnce(ctx);
  throw new AgentMuxError('INTERNAL_ERROR', `mode "${mode.name}" of ${adapter.agent} has no live spec`);
}

function driveOnce({ run, sink, context, trace }: DriverContext): Driver {
  const { adapter, mode, options, progress, sequence } = run;
  return new OneshotDriver({
    adapter,
    mode,
    options,
    plan: planner({ run, context }).planWithFiles,
    sessionId: () => sequence.sessionId,
    turnIndex: () => sequence.turnIndex,
    progress,
    trace,
    sink,
  });
}

function driveOwn(ctx: DriverContext, live: StdioLive): Driver {
  const { run, trace } = ctx;
  const { options } = run;
  const { planWithFiles } = planner(ctx);
  return new LiveDriver<string, string>({
    ...conversation(ctx, live),
    codec: guardLineCodec(run.adapter.agent, live),
    open: (sink) =>
      openOwnProcess(planWithFiles(options), { runId: options.runId, asText: live.framing === 'text', sink, trace }),
  });
}

async function driveShared(
  ctx: DriverContext,
  live: StdioLive,
  share: NonNullable<StdioLive['share']>,
): Promise<Driver> {
  const { run, trace, resources } = ctx;
  const { adapter, options } = run;
  const { launch, sharedBy } = planner(ctx);
  const { runId } = options;
  const { shared } = resources;
  const { key: keyOf, channelOf, route, mayReplyLater } = guardShare(adapter.agent, share, reporter(ctx));
  const key = sharedBy(keyOf(options));
  const release = share.exclusive ? await takeTurn(ctx, key) : undefined;
  try {
    return new LiveDriver<string, string>({
      ...conversation(ctx, live),
      codec: guardLineCodec(adapter.agent, live),
      slot: shared.slotFor({ key, launch, runId }),
      open: (sink, state) =>
        shared.join({
          key,
          channel: channelOf(state),
          route,
          asText: live.framing === 'text',
          mayReplyLater: () => mayReplyLater(state),
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

function driveServer(ctx: DriverContext, live: HttpLive): Driver {
  const { run, context, resources, trace } = ctx;
  const { adapter, options } = run;
  const { launch, sharedBy } = planner(ctx);
  // Resolves a server that will be started now: a failure later would be a crash.
  if (!live.server.baseUrl && context.cliPath === null) planSpawn(adapter, options, context);
  const spec = guardServer(adapter.agent, live.server, reporter(ctx));
  const server = () => {
    const key = spec.shareKey?.(options);
    return { launch, sharedBy: key === undefined ? undefined : sharedBy(key) };
  };
  const { servers } = resources;
  return new LiveDriver<HttpCall, HttpMessage>({
    ...conversation(ctx, live),
    codec: guardHttpCodec(adapter.agent, live),
    open: (sink) => new HttpChannel({ spec, options, env: context.hostEnv, server, servers, trace, sink }),
  });
}

function conversation<Spec extends StdioLive | HttpLive>({ run, sink, resources, over }: DriverContext, spec: Spec) {
  const { adapter, mode, options, progress, sequence, requests } = run;
  return {
    adapter,
    mode,
    spec,
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

/** Plans the launch of this run's agent, for this run alone or shared. */
function planner({ run, context }: Pick<DriverContext, 'run' | 'context'>) {
  const { adapter, options, watchdogs } = run;
  let reported = '';
  const plan = (turnOptions: ResolvedRunOptions): SpawnPlan => {
    const { plan: spawn, dropped } = planSpawn(adapter, turnOptions, context);
    const names = dropped.join(', ');
    if (names !== '' && names !== reported) {
      reported = names;
      const message = `the adapter of ${adapter.displayName} passes on host variables that are not the agent's; dropped: ${names}; use the option env to pass them`;
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
    // A process that outlives this run keeps its files in its own folder.
    launch: {
      plan: (scratchDir: string) => plan({ ...options, scratchDir }),
      config: () => stampConfig(adapter, options, context.hostEnv),
    },
    /** Runs share a process if they would start it the same ctx and the adapter gives the same key. */
    sharedBy: (key: string) => [options.agent, key, spawnFingerprint(plan(options), options.scratchDir)].join('\n'),
  };
}

function reporter({ sink }: DriverContext): (issue: EventBody) => void {
  return (issue) => sink.events([issue], undefined, 0);
}

/** Reports immediately that the run has to wait, although its agent has not started. */
function takeTurn({ run, sink, resources, over }: DriverContext, key: string): Promise<() => void> {
  return resources.shared.takeTurn(key, over, (before) => {
    const { displayName } = run.adapter;
    const message = `${displayName} serves one run at a time; ${before} ${before === 1 ? 'is' : 'are'} ahead of this one`;
    const debug = { type: 'debug', level: 'info', code: 'queued', message, data: { before } } as const;
    sink.events([{ type: 'session_start' }, debug], undefined, 0);
  });
}
