/** Why something could not be told. */
export class SendError extends Error {
  readonly code: string;
  /** It may go well when it is tried again. */
  readonly mayPass: boolean;

  constructor(code: string, message: string, mayPass = false) {
    super(message);
    this.name = 'SendError';
    this.code = code;
    this.mayPass = mayPass;
  }
}

/** What every target is told, as JSON where it takes that. */
export interface Telling {
  /** The same for every attempt. */
  id: string;
  state: string;
  title: string;
  text: string;
  session: { id: string; agent: string; project: string } | null;
  requestId: string | null;
  createdAt: number;
  /** Of a summary: what it sums up. */
  items: readonly { state: string; title: string; text: string; sessionId: string | null }[];
}
