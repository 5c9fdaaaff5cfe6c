import { guardHttpCodec, guardLineCodec, guardServer, guardShare } from '../border/guard-live.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { EventBody } from '../contract/events.ts';
import type { HttpCall, HttpMessage } from '../contract/live.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
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
  handshakeMs: number;
}

/** Picks the driver of the run's mode and opens the way to the agent. */
export function openDriver(
  run: Run,
  sink: DriverSink,
  around: PlanSurroundings,
  resources: Resources,
  trace: TraceWriter | undefined,
): Driver {
  const { adapter, mode, options, progress } = run;
  const tell = (fault: EventBody) => sink.events([fault], undefined, 0);
  let told = '';
  const tellDropped = (names: readonly string[]) => {
    if (names.length === 0 || told === names.join()) return;
    told = names.join();
    const message = `the adapter of ${adapter.displayName} hands on what is the host's and not the agent's; left out: ${names.join(', ')}. Pass what it needs with the option env`;
    run.note({ type: 'debug', level: 'warn', code: 'env_dropped', message });
  };
  const plan = (turnOptions: ResolvedRunOptions): SpawnPlan => {
    const spawn = planSpawn(adapter, turnOptions, around, tellDropped);
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
    return new LiveDriver<HttpCall, HttpMessage>({
      ...common,
      codec: guardHttpCodec(adapter.agent, live),
      open: (channelSink) =>
        new HttpChannel({
          spec: guardServer(adapter.agent, live.server, tell),
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
    codec: guardLineCodec(adapter.agent, live),
    open: (channelSink, state) => {
      const spawn = plan(options);
      if (!live.share) return openOwnProcess(spawn, options.runId, channelSink, trace);
      const { key, channelOf, route } = guardShare(adapter.agent, live.share, tell);
      const shared = `${options.agent}\n${key(options)}`;
      return resources.shared.join(shared, channelOf(state), route, spawn, options.runId, channelSink, trace);
    },
  });
}
