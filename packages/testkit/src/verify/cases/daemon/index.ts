import type { VerifyCase } from '../../verify-case.ts';
import { removalCase } from './removal.ts';
import { returningCases } from './returning.ts';
import { sessionSettingCases } from './settings.ts';
import { severalCases } from './several.ts';
import { turnCases } from './turns.ts';

/** The lifecycle of the daemon's sessions, on the real CLI. */
export const daemonCases: readonly VerifyCase[] = [
  ...returningCases,
  ...severalCases,
  ...sessionSettingCases,
  ...turnCases,
  removalCase,
];
