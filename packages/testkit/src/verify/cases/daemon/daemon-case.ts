import { always, type VerifyCase } from '../../verify-case.ts';

/** Common properties of the session lifecycle cases. */
export const DAEMON_CASE = {
  carrier: 'daemon',
  ofProject: true,
  shows: [],
  timeoutMs: 240_000,
  needs: always,
} as const satisfies Partial<VerifyCase>;
