import { type ApprovalMode, isToolKind, type QuestionAnswers, type ToolKind } from '@agent-mux/core';
import { jsonLine } from '../../shared/json.ts';

/** Incremented only when an adapter for the previous number would misunderstand; additions do not count. */
export const PROTOCOL_VERSION = 1;

/** Messages to an adapter; docs/external-protocol.md describes each. */
export type ToAdapter =
  | {
      type: 'session.start';
      session_id: string;
      protocol: number;
      cwd: string;
      approval_mode: ApprovalMode;
      model?: string;
      /** A native session id to resume or to fork. */
      resume?: string;
      fork?: string;
      no_session?: boolean;
    }
  | { type: 'user.input'; session_id: string; content: string }
  | { type: 'file.input'; session_id: string; file_name: string; file_mime_type: string; file_path: string }
  | {
      type: 'permission.response';
      session_id: string;
      request_id: string;
      approved: boolean;
      message?: string;
      cancelled?: true;
    }
  | { type: 'question.answer'; session_id: string; request_id: string; answers: QuestionAnswers }
  | { type: 'question.answer'; session_id: string; request_id: string; declined: true; cancelled?: true }
  | { type: 'stop'; session_id: string }
  | { type: 'session.close'; session_id: string };

export const encode = (message: ToAdapter): string => jsonLine(message);

export const OUTPUT_CHANNELS = ['stdout', 'stderr', 'thinking'] as const;
export const TURN_STATUSES = ['completed', 'failed', 'interrupted', 'max_turns', 'refused'] as const;
export const ERROR_KINDS = ['auth', 'rate_limit', 'context', 'server', 'session_not_found', 'other'] as const;
export const PLAN_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export const FILE_CHANGES = ['create', 'update', 'delete'] as const;
export const USAGE_SCOPES = ['delta', 'turn', 'session'] as const;

/** Undefined if not set. Adapters from before the current names of kinds may send `network` and `mode`. */
export function readKind(kind: unknown): ToolKind | undefined {
  if (isToolKind(kind)) return kind;
  if (kind === undefined || kind === null) return undefined;
  return kind === 'network' ? 'fetch' : 'other';
}
