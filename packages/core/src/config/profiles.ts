import type { z } from 'zod';
import { APPROVAL_MODES } from '../contract/capabilities.ts';
import type { RunOptions } from '../contract/options.ts';
import { RunProfileSchema } from '../run/options.ts';
import { isRecord } from '../values.ts';
import { type ConfigDocument, type ConfigFault, faultAt } from './document.ts';

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
  const refused = trusted ? [] : refusals(value).map(([key, problem]) => faultAt(document, [...at, key], problem));
  const parsed = RunProfileSchema.safeParse(value);
  const wrong = parsed.success ? [] : parsed.error.issues.flatMap((issue) => issueFaults(document, at, issue));
  const faults = [...refused, ...wrong];
  return faults.length > 0 || !parsed.success ? { faults } : { profile: parsed.data, faults };
}

function refusals(profile: Record<string, unknown>): [string, string][] {
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
  return issue.keys.map((key) => faultAt(document, [...path, key], 'is not a run option'));
}
