import type { AgentEvent, EventEnvelope, RunResult } from '@agent-mux/core';

/**
 * The events of a session are those of its runs, one after the other, and a few of its own. `seq` is dense from 0 over the
 * whole life of the session, whatever processes came and went; `runId` tells the launches apart.
 */
export type SessionNote =
  /** What a person or a program has said. Journaled before the agent gets it. `steer`: into the running turn. */
  | {
      type: 'user_message';
      messageId: string;
      text: string;
      attachments: readonly { name: string; mimeType: string }[];
      delivery: 'turn' | 'steer';
    }
  /** The process that held the session has ended without a word, and what was open with it. */
  | { type: 'keeper_lost'; message: string; unknownMessages: readonly string[] };

/** The last line of a launch, as `amux run --json` prints it. */
export type LaunchResult = { type: 'run_result' } & RunResult & Pick<EventEnvelope, 'seq' | 'timestamp' | 'turnIndex'>;

export type SessionEvent = AgentEvent | (SessionNote & EventEnvelope) | LaunchResult;
export type SessionEventType = SessionEvent['type'];
