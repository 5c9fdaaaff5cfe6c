/** Why a notification could not be sent. */
export class SendError extends Error {
  readonly code: string;
  /** A retry may succeed. */
  readonly isRetryable: boolean;

  constructor(code: string, message: string, isRetryable = false) {
    super(message);
    this.name = 'SendError';
    this.code = code;
    this.isRetryable = isRetryable;
  }
}

/** The content of a notification; sent as JSON to webhooks and commands. */
export interface OutgoingNotification {
  /** The same for all attempts. */
  id: string;
  state: string;
  title: string;
  text: string;
  session: { id: string; agent: string; project: string } | null;
  requestId: string | null;
  createdAt: number;
  /** Entries of a summary. */
  items: readonly { state: string; title: string; text: string; sessionId: string | null }[];
}
