import type { AgentProof } from '../agent-proof.ts';

/** Without the named auth type a custom base URL is refused (exit 41). */
const SETTINGS = JSON.stringify({
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
});

/** Gemini CLI 0.61. */
export const geminiProof: AgentProof = {
  agent: 'gemini',
  cli: 'gemini',
  api: 'gemini',
  slowModes: ['stream-json'],
  env: ({ modelUrl }) => ({
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_API_KEY: 'proof',
    GEMINI_TELEMETRY_ENABLED: 'false',
    // The user trusts the folder: in one that is not trusted nothing but the default approval mode can be set.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  files: () => ({ '.gemini/settings.json': SETTINGS }),
  model: { name: 'gemini-2.5-pro', seen: 'gemini-2.5-pro' },
  // A name that no release knows: 0.55.1 asks its newest flash for whatever has "flash" in its name.
  otherModel: { name: 'gemini-other-model', seen: 'gemini-other-model' },
  shellTool: (command) => ({ name: 'run_shell_command', input: { command, description: 'proof' } }),
  writeTool: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  readTool: (path) => ({ name: 'read_file', input: { file_path: path } }),
  byHand: { args: (prompt) => ['--yolo', '-m', 'gemini-2.5-pro', '-p', prompt], answerRepeated: true },
  terminal: {
    shows: /Gemini CLI v\d/,
    asks: { question: /Allow (?:execution|once)/, keys: ['\r'] },
    leave: ['/quit', '\r'],
  },
  modeQuirks: {
    // A piece of a thought is trimmed before it is told. What the CLI says of its retries it keeps until it exits.
    acp: {
      reasonHidden: true,
      trimsThoughts: true,
      rateLimit: 'silent',
      serverError: 'silent',
    },
  },
};
