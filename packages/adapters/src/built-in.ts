import type { AgentAdapter } from '@agent-mux/core';
import { AgentMuxRemoteAdapter } from './agent-mux-remote/index.ts';
import { AgyAdapter } from './agy/index.ts';
import { AiderAdapter } from './aider/index.ts';
import { AmpAdapter } from './amp/index.ts';
import { AuggieAdapter } from './auggie/index.ts';
import { AutohandAdapter } from './autohand/index.ts';
import { ClaudeAdapter } from './claude/index.ts';
import { claudeProfile } from './claude/profile.ts';
import { ClaudeRemoteControlAdapter } from './claude-remote-control/index.ts';
import { ClineAdapter } from './cline/index.ts';
import { CodexAdapter } from './codex/index.ts';
import { codexProfile } from './codex/profile.ts';
import { ContinueAdapter } from './continue/index.ts';
import { CopilotAdapter } from './copilot/index.ts';
import { copilotProfile } from './copilot/profile.ts';
import { CrushAdapter } from './crush/index.ts';
import { CursorAdapter } from './cursor/index.ts';
import { DemoAdapter } from './demo/index.ts';
import { DevinAdapter } from './devin/index.ts';
import { DroidAdapter } from './droid/index.ts';
import { GeminiAdapter } from './gemini/index.ts';
import type { DefinitionProfile } from './generic/profile.ts';
import { GENERIC_PROFILES } from './generic/profiles.ts';
import { GooseAdapter } from './goose/index.ts';
import { GrokAdapter } from './grok/index.ts';
import { HermesAdapter } from './hermes/index.ts';
import { KiloAdapter } from './kilo/index.ts';
import { kiloProfile } from './kilo/profile.ts';
import { KimiAdapter } from './kimi/index.ts';
import { KiroAdapter } from './kiro/index.ts';
import { OmpAdapter } from './omp/index.ts';
import { OpenClawAdapter } from './openclaw/index.ts';
import { OpenCodeAdapter } from './opencode/index.ts';
import { OpenCodeHttpAdapter } from './opencode-http/index.ts';
import { PiAdapter } from './pi/index.ts';
import { QwenAdapter } from './qwen/index.ts';
import { RooAdapter } from './roo/index.ts';
import { VibeAdapter } from './vibe/index.ts';

/** The agents that agent-mux knows by itself; one line each. */
const BUILT_IN: readonly (new () => AgentAdapter)[] = [
  // by name
  AgentMuxRemoteAdapter,
  AgyAdapter,
  AiderAdapter,
  AmpAdapter,
  AuggieAdapter,
  AutohandAdapter,
  ClaudeAdapter,
  ClaudeRemoteControlAdapter,
  ClineAdapter,
  CodexAdapter,
  ContinueAdapter,
  CopilotAdapter,
  CrushAdapter,
  CursorAdapter,
  DemoAdapter,
  DevinAdapter,
  DroidAdapter,
  GeminiAdapter,
  GooseAdapter,
  GrokAdapter,
  HermesAdapter,
  KiloAdapter,
  KimiAdapter,
  KiroAdapter,
  OmpAdapter,
  OpenClawAdapter,
  OpenCodeAdapter,
  OpenCodeHttpAdapter,
  PiAdapter,
  QwenAdapter,
  RooAdapter,
  VibeAdapter,
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
