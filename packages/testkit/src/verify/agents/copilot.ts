import type { AgentSetup } from '../agent-setup.ts';
import { seedDefinition } from '../seed-definitions.ts';

/** Copilot CLI 1.0, with a custom provider and no GitHub login. */
export const copilotSetup: AgentSetup = {
  agent: 'copilot',
  cli: 'copilot',
  api: 'openai-chat',
  env: ({ modelUrl }) => ({
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    // The CLI masks its value wherever it occurs, so it must not be a common word.
    COPILOT_PROVIDER_API_KEY: 'sk-loopback-only',
    COPILOT_MODEL: 'scripted-model',
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  // The first start unpacks the runtime there, which takes ten seconds.
  warmFolders: ['.cache/copilot'],
  hookTrust: () => ({ env: { COPILOT_ALLOW_ALL: 'true' } }),
  // With a custom provider the model must be set by a variable (1.0.102).
  nativeModel: false,
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'other-model', seen: 'other-model' },
  definition: { written: seedDefinition('copilot'), seen: 'claude-sonnet-4.5' },
  shellTool: (command) => ({ name: 'bash', input: { command, description: 'verify' } }),
  writeTool: (path, content) => ({ name: 'create', input: { path, file_text: content } }),
  readTool: (path) => ({ name: 'view', input: { path } }),
  toolNames: { shell: 'shell', write: 'write' },
  unmanaged: { args: (prompt) => ['--trust-folder', '--allow-all-tools', '-p', prompt], answerUnreported: true },
  terminal: {
    ready: ({ cwd }) => ({ files: { '.copilot/config.json': JSON.stringify({ trusted_folders: [cwd] }) } }),
    shows: /Copilot v\d/,
    asks: { question: 'Do you want to run this command?', keys: ['\r'] },
    leave: ['/exit', '\r'],
  },
  // Over ACP a 429 is not reported while it is retried.
  modeQuirks: { acp: { rateLimit: 'silent', reasonHidden: true } },
};
