import type { AgentAdapter } from '@agent-mux/core';
import { ClaudeAdapter } from './claude/index.ts';
import { claudeProfile } from './claude/profile.ts';
import { CodexAdapter } from './codex/index.ts';
import { codexProfile } from './codex/profile.ts';
import { CopilotAdapter } from './copilot/index.ts';
import { copilotProfile } from './copilot/profile.ts';
import { DemoAdapter } from './demo/index.ts';
import { GeminiAdapter } from './gemini/index.ts';
import type { DefinitionProfile } from './generic/profile.ts';
import { GENERIC_PROFILES } from './generic/profiles.ts';
import { KiloAdapter } from './kilo/index.ts';
import { kiloProfile } from './kilo/profile.ts';
import { OpenCodeAdapter } from './opencode/index.ts';
import { OpenCodeHttpAdapter } from './opencode-http/index.ts';
import { PiAdapter } from './pi/index.ts';
import { QwenAdapter } from './qwen/index.ts';

/** The agents that agent-mux knows by itself; one line each. */
const BUILT_IN: readonly (new () => AgentAdapter)[] = [
  // by name
  ClaudeAdapter,
  CodexAdapter,
  CopilotAdapter,
  DemoAdapter,
  GeminiAdapter,
  KiloAdapter,
  OpenCodeAdapter,
  OpenCodeHttpAdapter,
  PiAdapter,
  QwenAdapter,
];

/** What an agent definition may name as its `profile`: any program, or a known agent under another name. */
export const definitionProfiles: readonly DefinitionProfile<unknown>[] = [
  ...GENERIC_PROFILES,
  // known agents
  claudeProfile,
  codexProfile,
  copilotProfile,
  kiloProfile,
];

export function builtInAdapters(): AgentAdapter[] {
  return BUILT_IN.map((Adapter) => new Adapter());
}
