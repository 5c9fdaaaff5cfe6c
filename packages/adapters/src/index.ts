import '@agent-mux/core';

export { AgentMuxRemoteAdapter } from './agent-mux-remote/index.ts';
export { AgyAdapter } from './agy/index.ts';
export { AiderAdapter } from './aider/index.ts';
export { AmpAdapter } from './amp/index.ts';
export { AuggieAdapter } from './auggie/index.ts';
export { AutohandAdapter } from './autohand/index.ts';
export { BUILT_IN_CARDS, builtInAdapters } from './catalogue.ts';
export { ClaudeAdapter } from './claude/index.ts';
export { ClaudeRemoteControlAdapter } from './claude-remote-control/index.ts';
export { ClineAdapter } from './cline/index.ts';
export { CodexAdapter } from './codex/index.ts';
export {
  ConfiguredClient,
  type ConfiguredClientOptions,
  createConfiguredClient,
  type UntrustedAgent,
} from './configured-client.ts';
export { ContinueAdapter } from './continue/index.ts';
export { CopilotAdapter } from './copilot/index.ts';
export { CrushAdapter } from './crush/index.ts';
export { CursorAdapter } from './cursor/index.ts';
export { definitionProfiles } from './definition-profiles.ts';
export { DemoAdapter } from './demo/index.ts';
export { DevinAdapter } from './devin/index.ts';
export { AGENTS_WITHOUT_HEADLESS_CLI, type AgentWithoutCli } from './documented/without-headless-cli.ts';
export { DroidAdapter } from './droid/index.ts';
export { GeminiAdapter } from './gemini/index.ts';
export * from './generic/index.ts';
export { GooseAdapter } from './goose/index.ts';
export { GrokAdapter } from './grok/index.ts';
export { HermesAdapter } from './hermes/index.ts';
export { KiloAdapter } from './kilo/index.ts';
export { KimiAdapter } from './kimi/index.ts';
export { KiroAdapter } from './kiro/index.ts';
export { OmpAdapter } from './omp/index.ts';
export { OpenClawAdapter } from './openclaw/index.ts';
export { OpenCodeAdapter } from './opencode/index.ts';
export { OpenCodeHttpAdapter, type OpenCodeHttpOptions } from './opencode-http/index.ts';
export { PiAdapter } from './pi/index.ts';
export { QwenAdapter } from './qwen/index.ts';
export { RooAdapter } from './roo/index.ts';
export { VibeAdapter } from './vibe/index.ts';
