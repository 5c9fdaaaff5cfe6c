export { builtInAdapters, definitionProfiles } from './built-in.ts';
export { ClaudeAdapter } from './claude/index.ts';
export { CodexAdapter } from './codex/index.ts';
export {
  ConfiguredClient,
  type ConfiguredClientOptions,
  createConfiguredClient,
  type UntrustedAgent,
} from './configured-client.ts';
export { CopilotAdapter } from './copilot/index.ts';
export { DemoAdapter } from './demo/index.ts';
export { GeminiAdapter } from './gemini/index.ts';
export { parseDuration } from './generic/duration.ts';
export * from './generic/index.ts';
export { KiloAdapter } from './kilo/index.ts';
export { OpenCodeAdapter } from './opencode/index.ts';
export { OpenCodeHttpAdapter, type OpenCodeHttpOptions } from './opencode-http/index.ts';
export { PiAdapter } from './pi/index.ts';
export { QwenAdapter } from './qwen/index.ts';
