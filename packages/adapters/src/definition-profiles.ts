import type { LoadedDefinition } from '@agent-mux/core';
import { claudeProfile } from './claude/profile.ts';
import { codexProfile } from './codex/profile.ts';
import { copilotProfile } from './copilot/profile.ts';
import { adaptersFromDefinitions, type DefinedAdapters } from './generic/definitions.ts';
import type { DefinitionProfile } from './generic/profile.ts';
import { GENERIC_PROFILES } from './generic/profiles.ts';
import { kiloProfile } from './kilo/profile.ts';

/** Values for `profile` of an agent definition: any program, or a known agent under another name. */
export const definitionProfiles: readonly DefinitionProfile<unknown>[] = [
  ...GENERIC_PROFILES,
  // known agents
  claudeProfile,
  codexProfile,
  copilotProfile,
  kiloProfile,
];

export function readDefinitions(definitions: readonly LoadedDefinition[], env?: NodeJS.ProcessEnv): DefinedAdapters {
  return adaptersFromDefinitions(definitions, definitionProfiles, env);
}
