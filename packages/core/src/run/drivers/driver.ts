import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import type { ApprovalMode } from '../../contract/capabilities.ts';
import { CapabilityError } from '../../contract/errors.ts';
import type { EventBody } from '../../contract/events.ts';
import type { RequestAnswer } from '../../contract/live.ts';
import type { PendingRequest, TurnInput } from '../../contract/options.ts';
import type { AgentEnd } from '../channels/channel.ts';

/** Receives what a driver reports to the run. */
export interface DriverSink {
  /** `bytes`: approximate size of these events. */
  events(bodies: EventBody[], raw: string | undefined, bytes: number): void;
  /** Called on any sign of life of the agent. */
  alive(): void;
  /** Called when the process is done (`oneshot`: with this turn). */
  ended(end: AgentEnd): void;
  /** The driver cannot continue: an exception that no one else could catch. */
  failed(error: unknown): void;
}

/** How the run talks to the agent: a process per turn, or a conversation. */
export interface Driver {
  /** The turn is over only when the process has exited. */
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
  /** Emits what decoders have buffered: their time is over. */
  flush(): void;
  /** Lets the agent exit. Resolves to false if it did not exit in time and was killed. */
  finish(graceMs: number): Promise<boolean>;
  kill(): Promise<void>;
}

/** For a request that the agent does not support in this mode. */
export function unsupportedVerbError(
  { adapter, mode }: { adapter: AgentAdapter; mode: AgentMode },
  verb: string,
  what: string,
): CapabilityError {
  return new CapabilityError(adapter.agent, verb, `${adapter.displayName} in mode "${mode.name}" ${what}`);
}
