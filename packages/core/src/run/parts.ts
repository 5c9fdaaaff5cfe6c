import type { AgentAdapter, AgentMode } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { ApprovalPolicy } from '../contract/policy.ts';
import type { RunResult } from '../contract/run.ts';
import type { Connection } from './connection.ts';
import type { Driver, DriverSink } from './drivers/driver.ts';
import type { Ending } from './ending.ts';
import type { EventProcessor } from './event-processor.ts';
import type { EventLog } from './log/event-log.ts';
import type { Listeners } from './log/listeners.ts';
import type { Sequencer } from './ordering/sequence.ts';
import type { Phases } from './phases.ts';
import type { Retries } from './retries.ts';
import type { Run } from './run.ts';
import type { BackgroundWork } from './turns/background.ts';
import type { PendingRequests } from './turns/requests.ts';
import type { ResultFold } from './turns/result.ts';
import type { Watchdogs } from './turns/watchdogs.ts';
import type { Turns } from './turns.ts';

/** What a run needs from its host. */
export interface RunContext {
  /** Resolves the binary and connects to the agent. Throws if the run is impossible; `over` aborts the attempt. */
  connect(run: Run, sink: DriverSink, over: AbortSignal): Promise<Driver>;
  /** Startup warnings for the event stream (an unverified version, an overridden built-in). */
  notes(): AsyncIterable<EventBody>;
  /** Deletes the session of a failed attempt from the agent's store: the next attempt creates its own. */
  dropSession?(sessionId: string): Promise<boolean>;
  /** Removes temporary files after the agent has exited. Resolves to a warning if some are left. */
  tidyUp(): Promise<string | undefined>;
  /** Adds the run to the index. Resolves to the error message if that failed. */
  remember(result: RunResult): Promise<string | undefined>;
  /** Awaited before the run ends for its caller; without a result if it could not start. */
  finished(result: RunResult | undefined): Promise<void>;
  secrets: readonly string[];
  /** Answers approvals before a person is asked. */
  policy?: ApprovalPolicy;
  /** Explains a failure by the agent's environment. */
  explain?(failure: { type: string; message: string; stderr?: string }): string | undefined;
}

/** The view that the parts of a run have of the run and of each other. */
export interface RunParts {
  readonly adapter: AgentAdapter;
  readonly mode: AgentMode;
  readonly options: ResolvedRunOptions;
  readonly context: RunContext;
  readonly phases: Phases;
  readonly sequence: Sequencer;
  readonly log: EventLog;
  readonly listeners: Listeners;
  readonly fold: ResultFold;
  readonly requests: PendingRequests;
  readonly watchdogs: Watchdogs;
  readonly background: BackgroundWork;
  readonly processor: EventProcessor;
  readonly connection: Connection;
  readonly turns: Turns;
  readonly retries: Retries;
  readonly ending: Ending;
  /** Emits an event that did not come from the agent. */
  note(body: EventBody): void;
}
