import { always, type ProofCase } from '../../proof-case.ts';

/** What all cases of the session lifecycle have in common. */
export const DAEMON_CASE = {
  carrier: 'daemon',
  ofProject: true,
  shows: [],
  timeoutMs: 240_000,
  needs: always,
} as const satisfies Partial<ProofCase>;
