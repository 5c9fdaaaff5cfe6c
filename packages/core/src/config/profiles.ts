import type { z } from 'zod';
import { APPROVAL_MODES, type ApprovalMode } from '../contract/capabilities.ts';
import type { RunOptions } from '../contract/options.ts';
import { maskedAt } from '../native-config/mask.ts';
import { isMapOption, mergeOptions } from '../run/merge-options.ts';
import { PROFILE_REFUSALS, RunProfileSchema } from '../run/options.ts';
import { isRecord } from '../values.ts';
import { type ConfigDocument, type ConfigFault, faultAt, locate } from './document.ts';

/** A profile as one file has it. */
export interface ProfileLayer {
  file: string;
  line: number;
  /** False: a project's. */
  trusted: boolean;
  options: Partial<RunOptions>;
  document: ConfigDocument;
}

/** Where a value of a profile comes from. */
export interface ProfileField {
  /** `model`, or `env.NAME` for an entry of a map. */
  field: string;
  value: unknown;
  file: string;
  line: number;
}

/**
 * What a profile of a project's file may not set. Whoever clones a repository has not agreed to what it says, and each
 * of these would run a command, open a folder, hand out a variable or answer an approval in the user's name.
 */
export const UNTRUSTED_PROFILE_REFUSALS: readonly (keyof RunOptions)[] = [
  'env',
  'inheritEnv',
  'invocation',
  'tracePath',
  'nativePermissionMode',
  'mcpServers',
  'allowedTools',
  'thinkingOverride',
  'cwd',
  'addDirs',
  'attachments',
];

/** The profile at `profiles.<name>`, or what is wrong with it. One with a fault is not used at all: half of it may be worse. */
export function readProfile(
  document: ConfigDocument,
  name: string,
  value: unknown,
  trusted: boolean,
): { profile?: Partial<RunOptions>; faults: ConfigFault[] } {
  const at = ['profiles', name];
  if (!isRecord(value)) return { faults: [faultAt(document, at, 'must be an object of run options')] };
  const refused = trusted
    ? []
    : untrustedRefusals(value).map(([key, problem]) => faultAt(document, [...at, key], problem));
  const parsed = RunProfileSchema.safeParse(value);
  const wrong = parsed.success ? [] : parsed.error.issues.flatMap((issue) => issueFaults(document, at, issue));
  const faults = [...refused, ...wrong];
  return faults.length > 0 || !parsed.success ? { faults } : { profile: parsed.data, faults };
}

/**
 * What keeps a project's profile from refining the user's own of that name. It may fill in and change what the run is
 * like, but not make looser what the user has chosen by that name, nor hand it to another agent.
 */
export function looserThan(own: Partial<RunOptions>, refined: Partial<RunOptions>): [keyof RunOptions, string][] {
  const found: [keyof RunOptions, string][] = [];
  const { approvalMode = 'prompt' } = own;
  if (refined.approvalMode && LOOSENESS[refined.approvalMode] > LOOSENESS[approvalMode]) {
    found.push(['approvalMode', `is looser than the ${approvalMode} of the user's own profile`]);
  }
  const allowed = refined.deniedTools && own.deniedTools?.filter((tool) => !refined.deniedTools?.includes(tool));
  if (allowed && allowed.length > 0) {
    found.push(['deniedTools', `leaves out what the user's own profile denies: ${allowed.join(', ')}`]);
  }
  if (refined.agent !== undefined && own.agent !== undefined && refined.agent !== own.agent) {
    found.push(['agent', `is another than the ${own.agent} of the user's own profile`]);
  }
  return found;
}

const LOOSENESS: Readonly<Record<ApprovalMode, number>> = { plan: 0, deny: 0, prompt: 1, 'accept-edits': 2, yolo: 3 };

/** Profiles by name, the later over the earlier. */
export function mergeProfiles(
  sets: readonly Readonly<Record<string, Partial<RunOptions>>>[],
): Record<string, Partial<RunOptions>> {
  const names = new Set(sets.flatMap((set) => Object.keys(set)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      mergeOptions(sets.map((set) => (Object.hasOwn(set, name) ? set[name] : undefined))),
    ]),
  );
}

/** Every value of a profile, and the file that has the last word on it. */
export function profileFields(name: string, layers: readonly ProfileLayer[]): ProfileField[] {
  const fields = new Map<string, ProfileField>();
  for (const { file, document, options } of layers) {
    const put = (path: readonly string[], value: unknown) => {
      const field = path.join('.');
      fields.set(field, { field, value, file, line: locate(document, ['profiles', name, ...path]).line });
    };
    for (const [key, value] of Object.entries(options)) {
      if (!isMapOption(key) || !isRecord(value)) put([key], value);
      else for (const [entry, inner] of Object.entries(value)) put([key, entry], inner);
    }
  }
  return [...fields.values()].sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** A value of a profile as it may be shown: variables and headers are secrets often enough. */
export function maskedProfileValue(path: readonly string[], value: unknown): unknown {
  return maskedAt({ agent: '', fields: [], configFilePaths: [], projectConfigFilePaths: [] }, path, value);
}

/** What a project's file may not say in a profile. */
export function untrustedRefusals(profile: Record<string, unknown>): [string, string][] {
  const fields = UNTRUSTED_PROFILE_REFUSALS.filter((key) => Object.hasOwn(profile, key));
  const found: [string, string][] = fields.map((key) => [
    key,
    "may not be set by a project's file, only by the user's own",
  ]);
  if (profile.approvalMode === 'yolo') {
    const others = APPROVAL_MODES.filter((mode) => mode !== 'yolo').join(', ');
    found.push(['approvalMode', `may be ${others} in a project's file, but not yolo`]);
  }
  return found;
}

function issueFaults(document: ConfigDocument, at: readonly string[], issue: z.core.$ZodIssue): ConfigFault[] {
  const path = [...at, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  if (issue.code !== 'unrecognized_keys') return [faultAt(document, path, issue.message)];
  return issue.keys.map((key) => faultAt(document, [...path, key], unknownField(key)));
}

export function unknownField(key: string): string {
  const refused = Object.entries(PROFILE_REFUSALS).find(([field]) => field === key);
  return refused ? `may not be set by a profile: ${refused[1]}` : 'is not a run option';
}
