import '@agent-mux/core';

export { agentMuxRemoteAdapter } from './agent-mux-remote/index.ts';
export { agyAdapter } from './agy/index.ts';
export { aiderAdapter } from './aider/index.ts';
export { ampAdapter } from './amp/index.ts';
export { auggieAdapter } from './auggie/index.ts';
export { autohandAdapter } from './autohand/index.ts';
export { BUILT_IN_MANIFESTS, builtInAdapters } from './catalog.ts';
export { claudeAdapter } from './claude/index.ts';
export { claudeRemoteControlAdapter } from './claude-remote-control/index.ts';
export { clineAdapter } from './cline/index.ts';
export { codexAdapter } from './codex/index.ts';
export {
  ConfiguredClient,
  type ConfiguredClientOptions,
  createConfiguredClient,
  type UntrustedAgent,
} from './configured-client.ts';
export { continueAdapter } from './continue/index.ts';
export { copilotAdapter } from './copilot/index.ts';
export { crushAdapter } from './crush/index.ts';
export { cursorAdapter } from './cursor/index.ts';
export { definitionProfiles } from './definition-profiles.ts';
export { demoAdapter } from './demo/index.ts';
export { devinAdapter } from './devin/index.ts';
export { AGENTS_WITHOUT_HEADLESS_CLI, type AgentWithoutCli } from './documented/without-headless-cli.ts';
export { droidAdapter } from './droid/index.ts';
export { geminiAdapter } from './gemini/index.ts';
export * from './generic/index.ts';
export { gooseAdapter } from './goose/index.ts';
export { grokAdapter } from './grok/index.ts';
export { hermesAdapter } from './hermes/index.ts';
export { kiloAdapter } from './kilo/index.ts';
export { kimiAdapter } from './kimi/index.ts';
export { kiroAdapter } from './kiro/index.ts';
export { ompAdapter } from './omp/index.ts';
export { openClawAdapter } from './openclaw/index.ts';
export { openCodeAdapter } from './opencode/index.ts';
export { attachOpenCode, type OpenCodeHttpOptions, openCodeHttpAdapter } from './opencode-http/index.ts';
export { piAdapter } from './pi/index.ts';
export { qwenAdapter } from './qwen/index.ts';
export { rooAdapter } from './roo/index.ts';
export { vibeAdapter } from './vibe/index.ts';
