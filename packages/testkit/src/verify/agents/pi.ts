import type { AgentSetup } from '../agent-setup.ts';
import { ASKING_EXTENSION, writeModels } from './pi-family.ts';

/** Pi 0.87. */
export const piSetup: AgentSetup = {
  agent: 'pi',
  cli: 'pi',
  api: 'anthropic',
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' }),
  files: (place) => ({
    '.pi/agent/models.json': writeModels(place, { maxTokens: 32_000 }),
    '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'verify' }),
    '.pi/agent/extensions/ask-user.ts': ASKING_EXTENSION,
  }),
  namedKey: { file: '.pi/agent/models.json', from: '"apiKey":"verify"', to: '"apiKey":"$VERIFY_NAMED_KEY"' },
  model: { name: 'verify/scripted-model', seen: 'scripted-model' },
  nativeModel: 'other-model',
  otherModel: { name: 'verify/other-model', seen: 'other-model' },
  effortlessModel: 'verify/plain-model',
  shellTool: (command) => ({ name: 'bash', input: { command } }),
  writeTool: (path, content) => ({ name: 'write', input: { path, content } }),
  readTool: (path) => ({ name: 'read', input: { path } }),
  questionTool: (question, options) => ({ name: 'ask_user', input: { question, options } }),
  unmanaged: { args: (prompt) => ['--approve', '-p', '--model', 'verify/scripted-model', prompt] },
  terminal: { shows: /pi v\d/, leave: ['/quit', '\r'] },
  quirks: { reasonHidden: true, maxPromptChars: 3_000_000 },
};
