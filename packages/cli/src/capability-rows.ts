import {
  type AgentAdapter,
  type AgentCapabilities,
  type Limitation,
  modesOf,
  type PromptDelivery,
  promptDeliveryOf,
} from '@agent-mux/core';

/** One mode of one agent with its capabilities. */
export interface CapabilityRow {
  agent: string;
  mode: string;
  driver: string;
  /** How the agent receives a prompt. */
  promptDelivery: PromptDelivery;
  isDefault: boolean;
  capabilities: AgentCapabilities;
  /** Limitations the capabilities alone do not show. */
  limitations: readonly Limitation[];
}

export function capabilityRows(adapters: readonly AgentAdapter[]): CapabilityRow[] {
  return adapters.flatMap((adapter) =>
    modesOf(adapter).map((mode, index) => ({
      agent: adapter.agent,
      mode: mode.name,
      driver: mode.driver,
      promptDelivery: promptDeliveryOf(mode),
      isDefault: index === 0,
      capabilities: mode.capabilities,
      limitations: mode.limitations ?? [],
    })),
  );
}

const PLATFORM_NAMES: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };

/** A short text for a value of the record. */
export function capabilityText(value: AgentCapabilities[keyof AgentCapabilities]): string {
  if (value === true) return 'yes';
  if (value === false) return '-';
  if (value === null) return '-';
  if (typeof value === 'number') return `${Math.round(value / 1000)}k`;
  if (typeof value === 'string') return value;
  if (isList(value)) return value.map((each) => PLATFORM_NAMES[each] ?? each).join(' ') || '-';
  const pairs = Object.entries(value).map(([mode, how]) => (how === 'native' ? mode : `${mode}(${how})`));
  return pairs.length > 0 ? pairs.join(' ') : '-';
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value);
}
