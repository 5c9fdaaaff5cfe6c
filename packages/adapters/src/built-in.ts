import type { AgentAdapter } from '@agent-mux/core';
import { agentMuxRemoteAdapter } from './agent-mux-remote/index.ts';
import { agyAdapter } from './agy/index.ts';
import { aiderAdapter } from './aider/index.ts';
import { ampAdapter } from './amp/index.ts';
import { auggieAdapter } from './auggie/index.ts';
import { autohandAdapter } from './autohand/index.ts';
import { claudeAdapter } from './claude/index.ts';
import { claudeProfile } from './claude/profile.ts';
import { claudeRemoteControlAdapter } from './claude-remote-control/index.ts';
import { clineAdapter } from './cline/index.ts';
import { codexAdapter } from './codex/index.ts';
import { codexProfile } from './codex/profile.ts';
import { continueAdapter } from './continue/index.ts';
import { copilotAdapter } from './copilot/index.ts';
import { copilotProfile } from './copilot/profile.ts';
import { crushAdapter } from './crush/index.ts';
import { cursorAdapter } from './cursor/index.ts';
import { demoAdapter } from './demo/index.ts';
import { devinAdapter } from './devin/index.ts';
import { droidAdapter } from './droid/index.ts';
import { geminiAdapter } from './gemini/index.ts';
import type { DefinitionProfile } from './generic/profile.ts';
import { GENERIC_PROFILES } from './generic/profiles.ts';
import { gooseAdapter } from './goose/index.ts';
import { grokAdapter } from './grok/index.ts';
import { hermesAdapter } from './hermes/index.ts';
import { kiloAdapter } from './kilo/index.ts';
import { kiloProfile } from './kilo/profile.ts';
import { kimiAdapter } from './kimi/index.ts';
import { kiroAdapter } from './kiro/index.ts';
import { ompAdapter } from './omp/index.ts';
import { openClawAdapter } from './openclaw/index.ts';
import { openCodeAdapter } from './opencode/index.ts';
import { openCodeHttpAdapter } from './opencode-http/index.ts';
import { piAdapter } from './pi/index.ts';
import { qwenAdapter } from './qwen/index.ts';
import { rooAdapter } from './roo/index.ts';
import { vibeAdapter } from './vibe/index.ts';

/** The agents that agent-mux knows by itself; one line each. */
const BUILT_IN: readonly AgentAdapter[] = [
  // by name
  agentMuxRemoteAdapter,
  agyAdapter,
  aiderAdapter,
  ampAdapter,
  auggieAdapter,
  autohandAdapter,
  claudeAdapter,
  claudeRemoteControlAdapter,
  clineAdapter,
  codexAdapter,
  continueAdapter,
  copilotAdapter,
  crushAdapter,
  cursorAdapter,
  demoAdapter,
  devinAdapter,
  droidAdapter,
  geminiAdapter,
  gooseAdapter,
  grokAdapter,
  hermesAdapter,
  kiloAdapter,
  kimiAdapter,
  kiroAdapter,
  ompAdapter,
  openClawAdapter,
  openCodeAdapter,
  openCodeHttpAdapter,
  piAdapter,
  qwenAdapter,
  rooAdapter,
  vibeAdapter,
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
  return [...BUILT_IN];
}
