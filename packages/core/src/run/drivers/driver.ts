import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import type { ApprovalMode } from '../../contract/capabilities.ts';
import { CapabilityError } from '../../contract/errors.ts';
import type { EventBody } from '../../contract/events.ts';
import type { RequestAnswer } from '../../contract/live.ts';
import type { PendingRequest, TurnInput } from '../../contract/options.ts';
import type { AgentEnd } from '../channels/channel.ts';

/** What a driver tells the run. */
export interface DriverSink {
  /** `bytes`: roughly what these events weigh. */
  events(bodies: EventBody[], raw: string | undefined, bytes: number): void;
  /** The agent has shown a sign of life. */
  alive(): void;
  /** Nothing more comes from this process (`oneshot`: of this turn). */
  ended(end: AgentEnd): void;
  /** It cannot go on: what was thrown where nobody else could catch it. */
  failed(error: unknown): void;
}

/** How the run talks to the agent: a process per turn, or a conversation. */
export interface Driver {
  /** The turn is over only when the process is. */
  readonly turnEndsWithProcess: boolean;
  /** The first turn has not been sent: the session is not open yet. */
  readonly handshaking: boolean;
  startTurn(input: TurnInput): void;
  steer(input: TurnInput): void;
  interrupt(): void;
  resolve(request: PendingRequest, answer: RequestAnswer): void;
  setModel(model: string): void;
  setApprovalMode(mode: ApprovalMode): void;
  pause(): void;
  resume(): void;
  /** Tells what decoders have kept back: their time is over. */
  flush(): void;
  /** Lets the agent go in peace. False: it did not leave in time and was ended. */
  finish(graceMs: number): Promise<boolean>;
  kill(): Promise<void>;
}

/** For a verb that the agent has no word for in this mode. */
export function refuseVerb(
  { adapter, mode }: { adapter: AgentAdapter; mode: AgentMode },
  verb: string,
  what: string,
): CapabilityError {
  return new CapabilityError(adapter.agent, verb, `${adapter.displayName} in mode "${mode.name}" ${what}`);
}
