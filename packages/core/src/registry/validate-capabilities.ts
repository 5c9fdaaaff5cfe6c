import {
  type AgentCapabilities,
  APPROVAL_MODES,
  NO_CAPABILITIES,
  SYSTEM_PROMPT_MODES,
  THINKING_EFFORTS,
} from '../contract/capabilities.ts';
import type { Fault } from '../contract/errors.ts';
import { isRecord } from '../values.ts';

type FieldsOf<Value> = {
  [K in keyof AgentCapabilities]: AgentCapabilities[K] extends Value ? K : never;
}[keyof AgentCapabilities];

const LISTS = {
  thinkingEfforts: THINKING_EFFORTS,
  approvalModes: APPROVAL_MODES,
  supportedPlatforms: ['darwin', 'linux', 'win32'],
} as const satisfies Record<FieldsOf<readonly string[]>, readonly string[]>;

const WORDS = {
  sessionPersistence: ['none', 'memory', 'file', 'sqlite', 'remote'],
  execModel: ['interactive', 'run-to-completion', 'request-response'],
} as const satisfies Record<FieldsOf<string>, readonly string[]>;

/** Every field that a capability record lacks or has wrong. `NO_CAPABILITIES` is the list of what there must be. */
export function findCapabilityFaults(capabilities: unknown, at: string): Fault[] {
  if (!isRecord(capabilities)) return [{ field: at, problem: 'must be an object' }];
  const faults: Fault[] = [];
  for (const [name, example] of Object.entries(NO_CAPABILITIES)) {
    if (typeof example === 'boolean' && typeof capabilities[name] !== 'boolean') {
      faults.push({ field: `${at}.${name}`, problem: 'must be a boolean' });
    }
  }
  for (const [name, words] of Object.entries<readonly string[]>(LISTS)) {
    const value = capabilities[name];
    if (!Array.isArray(value) || !value.every((entry) => words.includes(entry))) {
      faults.push({ field: `${at}.${name}`, problem: `must be a list of ${words.join(', ')}` });
    }
  }
  for (const [name, words] of Object.entries<readonly string[]>(WORDS)) {
    const value = capabilities[name];
    if (typeof value !== 'string' || !words.includes(value)) {
      faults.push({ field: `${at}.${name}`, problem: `must be one of ${words.join(', ')}` });
    }
  }
  const { contextWindow } = capabilities;
  if (contextWindow !== null && !(Number.isInteger(contextWindow) && Number(contextWindow) > 0)) {
    faults.push({ field: `${at}.contextWindow`, problem: 'must be a number of tokens, or null' });
  }
  if (!isSystemPrompt(capabilities.systemPrompt)) {
    const modes = SYSTEM_PROMPT_MODES.join(', ');
    faults.push({ field: `${at}.systemPrompt`, problem: `must say native or prefix for some of ${modes}` });
  }
  return faults;
}

function isSystemPrompt(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([mode, how]) =>
      SYSTEM_PROMPT_MODES.some((known) => known === mode) &&
      (how === 'native' || how === 'prefix' || how === undefined),
  );
}
