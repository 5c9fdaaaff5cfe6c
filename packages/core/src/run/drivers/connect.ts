import { guardHttpCodec, guardLineCodec, guardServer, guardShare } from '../../border/guard-live.ts';
import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import type { EventBody } from '../../contract/events.ts';
import type { HttpCall, HttpMessage } from '../../contract/live.ts';
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
export interface ConnectingRun {
  readonly adapter: AgentAdapter;
  readonly mode: AgentMode;
  readonly options: ResolvedRunOptions;
  readonly progress: DecodeProgress;
  readonly sequence: { readonly turnIndex: number; readonly turnOpen: boolean; readonly sessionId: string | undefined };
  readonly requests: { readonly waiting: boolean };
  note(body: EventBody): void;
  /** How the agent is started says what its time limits are. */
  limit(spawn: SpawnPlan): void;
}

interface ConnectionRequest {
  run: ConnectingRun;
  sink: DriverSink;
  around: PlanSurroundings;
  resources: Resources;
  trace: TraceWriter | undefined;
  /** Nobody waits any longer. */
  over: AbortSignal;
}

/** Picks the driver of the run's mode and opens the way to the agent. */
export async function openDriver(connection: ConnectionRequest): Promise<Driver> {
  const { run, sink, around, resources, trace } = connection;
  const { adapter, mode, options, progress } = run;
  const tell = (fault: EventBody) => sink.events([fault], undefined, 0);
  let told = '';
  const tellDropped = (names: readonly string[]) => {
    if (names.length === 0 || told === names.join()) return;
    told = names.join();
    const message = `the adapter of ${adapter.displayName} hands on what is the host's and not the agent's; left out: ${names.join(', ')}. Pass what it needs with the option env`;
    run.note({ type: 'debug', level: 'warn', code: 'env_dropped', message });
  };
  const look = (turnOptions: ResolvedRunOptions): SpawnPlan => {
    const spawn = planSpawn(adapter, turnOptions, around, tellDropped);
    run.limit(spawn);
    return spawn;
  };
  const plan = (turnOptions: ResolvedRunOptions): SpawnPlan => {
    const spawn = look(turnOptions);
    writeHelperFiles(turnOptions.scratchDir, spawn.files);
    return spawn;
  };
  // A process that outlives this run has its files in a folder of its own.
  const launch = {
    plan: (scratchDir: string) => look({ ...options, scratchDir }),
    config: () => stampConfig(adapter, options, around.hostEnv),
  };
  /** Runs share what they would start in the same way, and what the adapter says is the same. */
  const sharedBy = (key: string) => [options.agent, key, likenessOf(look(options), options.scratchDir)].join('\n');
  const turnIndex = () => run.sequence.turnIndex;
  const { live } = mode;
  if (!live) {
    if (mode.driver !== 'oneshot')
      throw new AgentMuxError('INTERNAL_ERROR', `mode "${mode.name}" of ${adapter.agent} has no live facet`);
    return new OneshotDriver({
      adapter,
      mode,
      options,
      plan,
      sessionId: () => run.sequence.sessionId,
      turnIndex,
      progress,
      trace,
      sink,
    });
  }
  const turnActive = () => run.sequence.turnOpen;
  const asking = () => run.requests.waiting;
  const common = {
    adapter,
    mode,
    facet: live,
    options,
    turnActive,
    asking,
    turnIndex,
    progress,
    sink,
    handshakeMs: resources.handshakeMs,
  };
  if (live.transport === 'http') {
    // A server that is to be started is looked for now: later it would be a crash.
    if (!live.server.baseUrl && around.cliPath === null) planSpawn(adapter, options, around);
    const spec = guardServer(adapter.agent, live.server, tell);
    const server = () => {
      const key = spec.shareKey?.(options);
      return { launch, sharedBy: key === undefined ? undefined : sharedBy(key) };
    };
    return new LiveDriver<HttpCall, HttpMessage>({
      ...common,
      codec: guardHttpCodec(adapter.agent, live),
      open: (channelSink) =>
        new HttpChannel({
          spec,
          options,
          env: around.hostEnv,
          server,
          servers: resources.servers,
          trace,
          sink: channelSink,
        }),
    });
  }
  const codec = guardLineCodec(adapter.agent, live);
  const asText = live.framing === 'text';
  if (!live.share)
    return new LiveDriver<string, string>({
      ...common,
      codec,
      open: (channelSink) => openOwnProcess(plan(options), { runId: options.runId, asText, sink: channelSink, trace }),
    });
  const { shared } = resources;
  const { key: keyOf, channelOf, route, mayAnswerLater } = guardShare(adapter.agent, live.share, tell);
  const key = sharedBy(keyOf(options));
  const release = live.share.oneAtATime ? await takeTurn(connection, key) : undefined;
  try {
    const seat = shared.seatFor({ key, launch, runId: options.runId });
    return new LiveDriver<string, string>({
      ...common,
      codec,
      seat,
      open: (channelSink, state) => {
        const channel = channelOf(state);
        return shared.join({
          key,
          channel,
          route,
          asText,
          mayAnswerLater: () => mayAnswerLater(state),
          launch,
          runId: options.runId,
          sink: channelSink,
          trace,
          release,
        });
      },
    });
  } catch (error) {
    release?.();
    throw error;
  }
}

/** A run that must wait says so at once, though its agent has said nothing yet. */
function takeTurn({ run, sink, resources, over }: ConnectionRequest, key: string) {
  return resources.shared.takeTurn(key, over, (before) => {
    const { displayName } = run.adapter;
    const message = `${displayName} serves one run at a time, and ${before} ${before === 1 ? 'is' : 'are'} before this one`;
    const debug = { type: 'debug', level: 'info', code: 'waits_for_turn', message, data: { before } } as const;
    sink.events([{ type: 'session_start' }, debug], undefined, 0);
  });
}
