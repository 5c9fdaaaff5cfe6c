/** Stored sessions: one shape for what every agent keeps in its own way. */
import type { TokenUsage } from './events.ts';

export interface SessionToolCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** Absent: it never ended. */
  output?: string;
  isError?: boolean;
}

/** A piece of a message, at its place among the others. */
export type SessionPart =
  | { type: 'text' | 'thinking'; text: string }
  /** One of the message's `toolCalls`. */
  | { type: 'tool'; toolCallId: string };

export interface SessionMessage {
  /** The agent's own id of it. */
  id?: string;
  /** `system`: what the agent noted in the conversation, such as a compaction. Never the prompt of a vendor. */
  role: 'user' | 'assistant' | 'system';
  text: string;
  thinking?: string;
  toolCalls?: readonly SessionToolCall[];
  /** All of it in its order, where that is another than thinking, text, tool calls. `orderedParts` reads either. */
  parts?: readonly SessionPart[];
  /** Epoch milliseconds. */
  timestamp?: number;
  model?: string;
  /** Of this message alone. */
  usage?: TokenUsage;
  costUsd?: number | null;
}

/** One way through a session that is a tree, from its root to a leaf. */
export interface SessionBranch {
  /** The id of its last message. */
  id: string;
  /** The one that the agent goes on with. */
  active: boolean;
  messages: readonly SessionMessage[];
}

export interface Session {
  agent: string;
  /** The agent's own id: what `RunOptions.sessionId` takes. */
  sessionId: string;
  title?: string;
  cwd?: string;
  model?: string;
  createdAt?: number;
  updatedAt?: number;
  parentSessionId?: string;
  /** Of the active branch. */
  messages: readonly SessionMessage[];
  /** Of a session that is a tree with more than one leaf. */
  branches?: readonly SessionBranch[];
  usage?: TokenUsage;
  costUsd?: number | null;
  /** What could not be read of it. The rest is here. */
  faults?: readonly string[];
}

/** Where one stored session is. */
export interface SessionRef {
  path: string;
  /** Which one, in a file that holds several. */
  key?: string;
  /** Changes whenever the session does. */
  stamp: string;
}

/** How an agent keeps its sessions. Reads only, and safe while the agent writes. */
export interface SessionStore {
  /** The folder or file that holds them. */
  root(env: NodeJS.ProcessEnv): string;
  /** Cheap: looks at names and times, not into files. Nothing where the agent was never used. */
  find(env: NodeJS.ProcessEnv): Promise<SessionRef[]>;
  /** Throws PARSE_ERROR on what is no session. `brief`: it is for the index, which needs only the beginnings of long texts. */
  read(ref: SessionRef, how?: { brief?: boolean }): Promise<Session>;
  /** Deletes one session and nothing else. Absent: it cannot be taken out safely. */
  remove?(ref: SessionRef): Promise<void>;
}
