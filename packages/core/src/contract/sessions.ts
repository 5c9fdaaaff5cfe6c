/** Stored sessions, in one format for all agents. */
import type { TokenUsage } from './events.ts';

export interface SessionToolCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** Absent: the tool never finished. */
  output?: string;
  isError?: boolean;
}

/** A part of a message, in order. */
export type SessionPart =
  | { type: 'text' | 'thinking'; text: string }
  /** One of the message's `toolCalls`. */
  | { type: 'tool'; toolCallId: string };

export interface SessionMessage {
  /** The agent's own message id. */
  id?: string;
  /** `system`: notes of the agent in the conversation, such as a compaction. Never the provider's system prompt. */
  role: 'user' | 'assistant' | 'system';
  text: string;
  thinking?: string;
  toolCalls?: readonly SessionToolCall[];
  /** All parts in order, if it differs from thinking, text, tool calls. `orderedParts` handles both cases. */
  parts?: readonly SessionPart[];
  /** Epoch milliseconds. */
  timestamp?: number;
  model?: string;
  /** Usage of this message only. */
  usage?: TokenUsage;
  costUsd?: number | null;
}

/** A path through a tree-structured session, from its root to a leaf. */
export interface SessionBranch {
  /** Id of the last message. */
  id: string;
  /** The branch the agent continues. */
  active: boolean;
  messages: readonly SessionMessage[];
}

export interface Session {
  agent: string;
  /** The agent's own session id, accepted by `RunOptions.sessionId`. */
  sessionId: string;
  title?: string;
  cwd?: string;
  model?: string;
  createdAt?: number;
  updatedAt?: number;
  parentSessionId?: string;
  /** Messages of the active branch. */
  messages: readonly SessionMessage[];
  /** For a tree-structured session with more than one leaf. */
  branches?: readonly SessionBranch[];
  usage?: TokenUsage;
  costUsd?: number | null;
  /** Parts of the session that could not be read. The rest is included. */
  warnings?: readonly string[];
}

/** Location of one stored session. */
export interface SessionRef {
  path: string;
  /** Identifies the session in a file that holds several. */
  key?: string;
  /** Changes whenever the session does. */
  stamp: string;
}

/** How an agent stores its sessions. Read-only, and safe while the agent writes. */
export interface SessionStore {
  /** Folder or file that holds the sessions. */
  root(env: NodeJS.ProcessEnv): string;
  /** Cheap: reads names and times, not file contents. Empty if the agent was never used. */
  find(env: NodeJS.ProcessEnv): Promise<SessionRef[]>;
  /** Throws PARSE_ERROR if it is not a session. `brief`: for the index, which needs only the start of long texts. */
  read(ref: SessionRef, how?: { brief?: boolean }): Promise<Session>;
  /** Deletes one session and nothing else. Absent: sessions cannot be deleted safely. */
  remove?(ref: SessionRef): Promise<void>;
}
