import type { AgentSetup } from '../agent-setup.ts';
import { askOneQuestion } from './questions.ts';

const SETTINGS = JSON.stringify({
  security: { auth: { selectedType: 'openai' } },
  telemetry: { enabled: false },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
  // It sends images only to models that are known to support them.
  model: { generationConfig: { modalities: { image: true } } },
});

/** Qwen Code 0.24. */
export const qwenSetup: AgentSetup = {
  agent: 'qwen',
  cli: 'qwen',
  api: 'openai-chat',
  slowModes: ['oneshot'],
  env: ({ modelUrl }) => ({
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_API_KEY: 'verify',
    OPENAI_MODEL: 'scripted-model',
    // It restarts itself for a larger heap, which no case needs.
    QWEN_CODE_NO_RELAUNCH: 'true',
  }),
  files: () => ({ '.qwen/settings.json': SETTINGS }),
  // It lists those of its settings, and not the one from variables (0.24.4).
  ownModels: false,
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'other-model', seen: 'other-model' },
  shellTool: (command) => ({
    name: 'run_shell_command',
    input: { command, description: 'verify', is_background: false },
  }),
  writeTool: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  readTool: (path) => ({ name: 'read_file', input: { file_path: path } }),
  questionTool: (question, options) => ({
    name: 'ask_user_question',
    input: askOneQuestion(question, options),
  }),
  subagentTool: (prompt) => ({
    name: 'agent',
    input: { description: 'verify', prompt, subagent_type: 'general-purpose' },
  }),
  // Such tools are found by a search and not listed; calling one directly works too.
  mcpTool: (server, tool) => `mcp__${server}__${tool}`,
  // It silently retries a 429 for up to an hour, and a 500 for minutes.
  unmanaged: { args: (prompt) => ['--auth-type', 'openai', '--yolo', '-p', prompt] },
  terminal: {
    shows: /Qwen Code \(v\d/,
    asks: { question: /Allow execution|Yes, allow once/, keys: ['\r'] },
    leave: ['/quit', '\r'],
  },
  quirks: { rateLimit: 'silent', serverError: 'silent' },
};
