import {
  type AgentCapabilities,
  APPROVAL_MODES,
  NO_CAPABILITIES,
  SYSTEM_PROMPT_MODES,
  THINKING_EFFORTS,
} from '../contract/capabilities.ts';
import type { ValidationIssue } from '../contract/errors.ts';
import { isRecord } from '../values.ts';

type FieldsOf<Value> = {
  [K in keyof AgentCapabilities]: AgentCapabilities[K] extends Value ? K : never;
}[keyof AgentCapabilities];

const LISTS = {
  thinkingEfforts: THINKING_EFFORTS,
  approvalModes: APPROVAL_MODES,
  supportedPlatforms: ['darwin', 'linux', 'win32'],
} as const satisfies Record<FieldsOf<readonly string[]>, readonly string[]>;

const ENUMS = {
  sessionPersistence: ['none', 'memory', 'file', 'sqlite', 'remote'],
  execModel: ['interactive', 'run-to-completion', 'request-response'],
} as const satisfies Record<FieldsOf<string>, readonly string[]>;

/** Issues of every missing or invalid capability. `NO_CAPABILITIES` defines the required fields. */
export function findCapabilityIssues(capabilities: unknown, at: string): ValidationIssue[] {
  if (!isRecord(capabilities)) return [{ field: at, problem: 'must be an object' }];
  const issues: ValidationIssue[] = [];
  for (const [name, example] of Object.entries(NO_CAPABILITIES)) {
    if (typeof example === 'boolean' && typeof capabilities[name] !== 'boolean') {
      issues.push({ field: `${at}.${name}`, problem: 'must be a boolean' });
    }
  }
  for (const [name, values] of Object.entries<readonly string[]>(LISTS)) {
    const value = capabilities[name];
    if (!Array.isArray(value) || !value.every((entry) => values.includes(entry))) {
      issues.push({ field: `${at}.${name}`, problem: `must be a list of ${values.join(', ')}` });
    }
  }
  for (const [name, values] of Object.entries<readonly string[]>(ENUMS)) {
    const value = capabilities[name];
    if (typeof value !== 'string' || !values.includes(value)) {
      issues.push({ field: `${at}.${name}`, problem: `must be one of ${values.join(', ')}` });
    }
  }
  const { contextWindow } = capabilities;
  if (contextWindow !== null && !(Number.isInteger(contextWindow) && Number(contextWindow) > 0)) {
    issues.push({ field: `${at}.contextWindow`, problem: 'must be a number of tokens, or null' });
  }
  if (!isSystemPrompt(capabilities.systemPrompt)) {
    const modes = SYSTEM_PROMPT_MODES.join(', ');
    issues.push({ field: `${at}.systemPrompt`, problem: `must map some of ${modes} to native or prefix` });
  }
  return issues;
}

function isSystemPrompt(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([mode, how]) =>
      SYSTEM_PROMPT_MODES.some((known) => known === mode) &&
      (how === 'native' || how === 'prefix' || how === undefined),
  );
}
