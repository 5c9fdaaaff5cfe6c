import { AUTH, CONFIGURATION, SESSIONS } from './auth-and-config.ts';
import { DECODING } from './decoding.ts';
import { ENVIRONMENT } from './environment.ts';
import { HOOKS } from './hooks.ts';
import { IDENTITY } from './identity.ts';
import { LAUNCH } from './launch.ts';
import { LIVE_CODEC } from './live-codec.ts';
import type { Mutant } from './mutant.ts';
import { EXTENSIONS, PREPARATIONS } from './preparations.ts';
import { REQUESTS } from './requests.ts';
import { RUN } from './run.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** Adapters with a fault each, by what it concerns. */
export const MUTANTS: Readonly<Record<string, readonly Mutant[]>> = {
  identity: IDENTITY,
  launch: LAUNCH,
  environment: ENVIRONMENT,
  decoding: DECODING,
  'live codec': LIVE_CODEC,
  requests: REQUESTS,
  'kinds of tools': TOOL_KINDS,
  hooks: HOOKS,
  login: AUTH,
  sessions: SESSIONS,
  configuration: CONFIGURATION,
  preparations: PREPARATIONS,
  extensions: EXTENSIONS,
  'a run': RUN,
};
