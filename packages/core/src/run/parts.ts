import type { AgentAdapter, AgentMode } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { ApprovalPolicy } from '../contract/policy.ts';
import type { RunResult } from '../contract/run.ts';
import type { Connection } from './connection.ts';
import type { Driver, DriverSink } from './drivers/driver.ts';
import type { Ending } from './ending.ts';
import type { Intake } from './intake.ts';
import type { EventLog } from './log/event-log.ts';
import type { Listeners } from './log/listeners.ts';
import type { Sequencer } from './order/sequence.ts';
import type { Phases } from './phases.ts';
import type { Retries } from './retries.ts';
import type { Run } from './run.ts';
import type { BackgroundWork } from './turns/background.ts';
import type { PendingRequests } from './turns/requests.ts';
import type { ResultFold } from './turns/result.ts';
import type { Watchdogs } from './turns/watchdogs.ts';
import type { Turns } from './turns.ts';

/** What a run needs of the world, handed in by whoever starts it. */
export interface RunSurroundings {
  /** Looks the binary up and opens the way to the agent. Throws what makes the run impossible; `over`: nobody waits any longer. */
  connect(run: Run, sink: DriverSink, over: AbortSignal): Promise<Driver>;
  /** Notes that belong on the stream, found beside the run (an unproven version, an overridden built-in). */
  notes(): AsyncIterable<EventBody>;
  /** Takes the session of an attempt that has failed out of the agent's store: the next attempt makes its own. */
  dropSession?(sessionId: string): Promise<boolean>;
  /** Removes what was put aside for the agent, which is gone. Resolves to what is to be told of it. */
  tidyUp(): Promise<string | undefined>;
  /** Adds the run to the index. Resolves to why that failed. */
  remember(result: RunResult): Promise<string | undefined>;
  /** Awaited before the run is over for its caller; without a result when it could not begin. */
  finished(result: RunResult | undefined): Promise<void>;
  secrets: readonly string[];
  /** What answers approvals before a person is asked. */
  policy?: ApprovalPolicy;
  /** What a failure has to do with the agent's surroundings, in words. */
  explain?(failure: { type: string; message: string; stderr?: string }): string | undefined;
}

/** A run as its parts see it: what it is for, what it keeps, and each other. */
export interface RunParts {
  readonly adapter: AgentAdapter;
  readonly mode: AgentMode;
  readonly options: ResolvedRunOptions;
  readonly surroundings: RunSurroundings;
  readonly phases: Phases;
  readonly sequence: Sequencer;
  readonly log: EventLog;
  readonly listeners: Listeners;
  readonly fold: ResultFold;
  readonly requests: PendingRequests;
  readonly watchdogs: Watchdogs;
  readonly background: BackgroundWork;
  readonly intake: Intake;
  readonly connection: Connection;
  readonly turns: Turns;
  readonly retries: Retries;
  readonly ending: Ending;
  /** Something worth knowing that did not come from the agent. */
  note(body: EventBody): void;
}
