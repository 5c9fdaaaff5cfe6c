import { AgentMuxError } from '../contract/errors.ts';
import type { HttpCall, HttpLive, HttpMessage, LiveCodec, StdioLive } from '../contract/live.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { ChannelSink } from '../run/channels/channel.ts';
import { HttpChannel } from '../run/channels/http.ts';
import { openOwnProcess } from '../run/channels/own-process.ts';
import type { AgentServers } from '../run/channels/servers.ts';
import type { SharedProcesses } from '../run/channels/shared-process.ts';
import type { Driver, DriverSink } from '../run/driver.ts';
import { LiveDriver } from '../run/live.ts';
import { OneshotDriver } from '../run/oneshot.ts';
import type { SpawnPlan } from '../run/place/link.ts';
import { type PlanSurroundings, planSpawn } from '../run/plan.ts';
import type { Run } from '../run/run.ts';
import { writeHelperFiles } from '../run/scratch.ts';
import type { TraceWriter } from '../run/trace.ts';

export interface Resources {
  shared: SharedProcesses;
  servers: AgentServers;
}

type State = Record<string, unknown>;

/** Picks the driver of the run's mode and opens the way to the agent. */
export function openDriver(
  run: Run,
  sink: DriverSink,
  around: PlanSurroundings,
  resources: Resources,
  trace: TraceWriter | undefined,
): Driver {
  const { adapter, mode, options } = run;
  const plan = (turnOptions: ResolvedRunOptions): SpawnPlan => {
    const spawn = planSpawn(adapter, turnOptions, around);
    run.limit(spawn);
    writeHelperFiles(turnOptions.scratchDir, spawn.files);
    return spawn;
  };
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
      trace,
      sink,
    });
  }
  const turnActive = () => run.sequence.turnOpen;
  const asking = () => run.requests.waiting;
  const common = { adapter, mode, facet: live, options, turnActive, asking, turnIndex, sink };
  if (live.transport === 'http') {
    return new LiveDriver<HttpCall, HttpMessage>({
      ...common,
      codec: anyState(live),
      open: (channelSink) =>
        new HttpChannel({
          spec: live.server,
          options,
          env: around.hostEnv,
          plan: () => plan(options),
          servers: resources.servers,
          trace,
          sink: channelSink,
        }),
    });
  }
  return new LiveDriver<string, string>({
    ...common,
    codec: anyStateOfLines(live),
    open: (channelSink, state) => openLines(live, options, plan(options), state, channelSink, resources, trace),
  });
}

function openLines(
  live: StdioLive,
  options: ResolvedRunOptions,
  spawn: SpawnPlan,
  state: State,
  sink: ChannelSink<string>,
  resources: Resources,
  trace: TraceWriter | undefined,
) {
  const { share } = live;
  if (!share) return openOwnProcess(spawn, options.runId, sink, trace);
  const key = `${options.agent}\n${share.key(options)}`;
  return resources.shared.join(key, share.channelOf(state as never), share.route, spawn, options.runId, sink, trace);
}

// A codec's state is its own business: the driver gets it from `open` and only hands it back, so its type may be forgotten.
function anyState(live: HttpLive): LiveCodec<State, HttpCall, HttpMessage> {
  return live.codec as unknown as LiveCodec<State, HttpCall, HttpMessage>;
}
function anyStateOfLines(live: StdioLive): LiveCodec<State, string, string> {
  return live.codec as unknown as LiveCodec<State, string, string>;
}
