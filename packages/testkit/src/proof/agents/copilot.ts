import type { AgentProof } from '../agent-proof.ts';
import { seedDefinition } from '../seed-definitions.ts';

/** Copilot CLI 1.0, with a provider of the user's own and no GitHub login. */
export const copilotProof: AgentProof = {
  agent: 'copilot',
  cli: 'copilot',
  api: 'openai-chat',
  env: ({ modelUrl }) => ({
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    // The CLI masks its value wherever it occurs, so it must be no word that does.
    COPILOT_PROVIDER_API_KEY: 'sk-loopback-only',
    COPILOT_MODEL: 'scripted-model',
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  // The first start unpacks the runtime there, which takes ten seconds.
  warmFolders: ['.cache/copilot'],
  hookTrust: () => ({ env: { COPILOT_ALLOW_ALL: 'true' } }),
  // With a provider of one's own the model must be named by a variable (1.0.102).
  nativeModel: false,
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'other-model', seen: 'other-model' },
  definition: { written: seedDefinition('copilot'), seen: 'claude-sonnet-4.5' },
  shellTool: (command) => ({ name: 'bash', input: { command, description: 'proof' } }),
  writeTool: (path, content) => ({ name: 'create', input: { path, file_text: content } }),
  readTool: (path) => ({ name: 'view', input: { path } }),
  toolNames: { shell: 'shell', write: 'write' },
  byHand: { args: (prompt) => ['--trust-folder', '--allow-all-tools', '-p', prompt], answerUntold: true },
  terminal: {
    ready: ({ cwd }) => ({ files: { '.copilot/config.json': JSON.stringify({ trusted_folders: [cwd] }) } }),
    shows: /Copilot v\d/,
    asks: { question: 'Do you want to run this command?', keys: ['\r'] },
    leave: ['/exit', '\r'],
  },
  // Over ACP nothing is said of a 429 while it is tried again.
  modeQuirks: { acp: { rateLimit: 'silent', reasonHidden: true } },
};
