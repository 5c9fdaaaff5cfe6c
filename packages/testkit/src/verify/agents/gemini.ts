import type { AgentSetup } from '../agent-setup.ts';

/** Without an explicit auth type a custom base URL is refused (exit 41). */
const SETTINGS = JSON.stringify({
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
});

/** Gemini CLI 0.61. */
export const geminiSetup: AgentSetup = {
  agent: 'gemini',
  cli: 'gemini',
  api: 'gemini',
  slowModes: ['stream-json'],
  env: ({ modelUrl }) => ({
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_API_KEY: 'verify',
    GEMINI_TELEMETRY_ENABLED: 'false',
    // The user trusts the folder: an untrusted one allows only the default approval mode.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  files: () => ({ '.gemini/settings.json': SETTINGS }),
  model: { name: 'gemini-2.5-pro', seen: 'gemini-2.5-pro' },
  // A name that no release knows: 0.55.1 uses its newest flash for any name with "flash".
  otherModel: { name: 'gemini-other-model', seen: 'gemini-other-model' },
  shellTool: (command) => ({ name: 'run_shell_command', input: { command, description: 'verify' } }),
  writeTool: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  readTool: (path) => ({ name: 'read_file', input: { file_path: path } }),
  unmanaged: { args: (prompt) => ['--yolo', '-m', 'gemini-2.5-pro', '-p', prompt], answerRepeated: true },
  terminal: {
    shows: /Gemini CLI v\d/,
    asks: { question: /Allow (?:execution|once)/, keys: ['\r'] },
    leave: ['/quit', '\r'],
  },
  modeQuirks: {
    // Pieces of thinking are trimmed. The CLI reports its retries only when it exits.
    acp: {
      reasonHidden: true,
      trimsThoughts: true,
      rateLimit: 'silent',
      serverError: 'silent',
    },
  },
};
