/** What distinguishes one kind of agent from another for the session lifecycle. */
export interface Kind {
  agent: string;
  /** Its conversations have ids, and it resumes and forks them. */
  hasId: boolean;
  /** One process serves several sessions. */
  isShared: boolean;
  /** A process per message. */
  isOnce: boolean;
  /** No conversation: messages are independent. */
  isJob: boolean;
}

const kind = (agent: string, traits: Partial<Kind>): Kind => ({
  ...{ agent, hasId: false, isShared: false, isOnce: false, isJob: false },
  ...traits,
});

export const KINDS: readonly Kind[] = [
  kind('stays', { hasId: true }),
  kind('shares', { hasId: true, isShared: true }),
  kind('once', { hasId: true, isOnce: true }),
  kind('stays-no-id', {}),
  kind('shares-no-id', { isShared: true }),
  kind('once-no-id', { isOnce: true }),
  kind('job', { isOnce: true, isJob: true }),
];
