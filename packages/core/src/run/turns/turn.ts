import type { EventBody } from '../../contract/events.ts';
import type { TurnInput } from '../../contract/options.ts';

/** State of the current turn. */
export interface Turn {
  /** Undefined if the agent started the turn on its own. */
  readonly input: TurnInput | undefined;
  /** The last failure reported in it. */
  failure: EventBody | undefined;
  /** Text or tools were shown: the turn cannot be retried silently. */
  isProductive: boolean;
  isInterrupting: boolean;
  /** An output file was reported that does not exist. */
  lacksFile: boolean;
  interruptReported: boolean;
  cutReported: boolean;
}

export function newTurn(input?: TurnInput): Turn {
  return {
    input,
    failure: undefined,
    isProductive: false,
    isInterrupting: false,
    lacksFile: false,
    interruptReported: false,
    cutReported: false,
  };
}
