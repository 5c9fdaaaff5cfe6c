/** What holds for all sessions of a daemon; from the user's configuration file. */
export interface DaemonSettings {
  /** The address is 127.0.0.1 whatever is said; 0: any free port. */
  port: number;
  /** A session that has been idle for so long is parked. 0: never. */
  idleParkMs: number;
  /** So many processes of agents at once. */
  maxLiveSessions: number;
  /** Of one launch; 0: none. */
  maxRuntimeMs: number;
  /** Of journaled events of one launch; 0: none. */
  maxOutputBytes: number;
  /** A longer string is put into the blob store. */
  inlineChars: number;
  /** False: of the events only those are stored that say how a session goes, not what is said in it. */
  storeActivity: boolean;
  retention: {
    /** Ended sessions are dropped after so many days; 0: never. */
    days: number;
    /** And the oldest until all of it fits; 0: no limit. */
    maxBytes: number;
  };
}

export const DEFAULT_SETTINGS: DaemonSettings = {
  port: 7433,
  idleParkMs: 30 * 60_000,
  maxLiveSessions: 50,
  maxRuntimeMs: 0,
  maxOutputBytes: 1024 ** 3,
  inlineChars: 32_768,
  storeActivity: true,
  retention: { days: 90, maxBytes: 5 * 1024 ** 3 },
};
