import type { EventBody } from '../../contract/events.ts';
import type { TurnInput } from '../../contract/options.ts';

/** What is known of the turn under way. */
export interface Turn {
  /** Undefined: the agent has begun it by itself. */
  readonly input: TurnInput | undefined;
  /** The last failure that was told in it. */
  failure: EventBody | undefined;
  /** Text or tools have come: it cannot be repeated unseen. */
  isProductive: boolean;
  isInterrupting: boolean;
  /** A file was named as a result, and is not there. */
  lacksFile: boolean;
  saidInterrupted: boolean;
  saidTextCut: boolean;
}

export function newTurn(input?: TurnInput): Turn {
  return {
    input,
    failure: undefined,
    isProductive: false,
    isInterrupting: false,
    lacksFile: false,
    saidInterrupted: false,
    saidTextCut: false,
  };
}
