import { acpProfile } from '../acp/profile.ts';
import { cliProfile } from './cli.ts';
import { externalProfile } from './external/index.ts';
import { httpProfile } from './http.ts';
import { jobProfile } from './job.ts';
import type { DefinitionProfile } from './profile.ts';

/** Profiles that make an agent out of any program. Those of known agents are next to their adapters. */
export const GENERIC_PROFILES: readonly DefinitionProfile<unknown>[] = [
  cliProfile,
  jobProfile,
  httpProfile,
  externalProfile,
  acpProfile,
];
