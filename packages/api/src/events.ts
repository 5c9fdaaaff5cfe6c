import type { AgentEvent, EventEnvelope, RunResult } from '@agent-mux/core';

/**
 * Events of a session: those of its runs, one after the other, and a few added by the daemon. `seq` is consecutive from 0 over the
 * whole session, across all its processes; `runId` identifies the launch.
 */
export type DaemonEventBody =
  /** A message sent to the session. Written to the journal before the agent gets it. `steer`: into the running turn. */
  | {
      type: 'user_message';
      messageId: string;
      text: string;
      attachments: readonly { name: string; mimeType: string }[];
      delivery: 'turn' | 'steer';
    }
  /** The keeper of the session died without a result; open requests are lost with it. */
  | { type: 'keeper_lost'; message: string; unknownMessages: readonly string[] };

/** Last line of a launch, as `amux run --json` prints it. */
export type RunResultEvent = { type: 'run_result' } & RunResult &
  Pick<EventEnvelope, 'seq' | 'timestamp' | 'turnIndex'>;

export type SessionEvent = AgentEvent | (DaemonEventBody & EventEnvelope) | RunResultEvent;
export type SessionEventType = SessionEvent['type'];
