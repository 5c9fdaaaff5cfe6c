import type { AgentSetup, VerifySandbox } from '../agent-setup.ts';

const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh'].map((id) => `{ id = "${id}", value = "${id}" }`);

const model = (alias: string, name: string, { modelUrl }: VerifySandbox) => `[model.${alias}]
model = "${name}"
name = "${name}"
base_url = "${modelUrl}/v1"
api_key = "verify"
reasoning_efforts = [${EFFORTS.join(', ')}]
`;

/** Its auxiliary requests (titles, summaries of turns) would be requests outside the conversation. */
const FEATURES = `[features]
remote_fetch = false
telemetry = false
feedback = false
title_refresh = false
turn_summary = false
session_recap = false

[models]
default = "scripted-model"
`;

/** Grok Build 1.0.41. */
export const grokSetup: AgentSetup = {
  agent: 'grok',
  cli: 'grok',
  api: 'openai-chat',
  env: ({ modelUrl }) => ({
    XAI_API_KEY: 'verify',
    // Without it every start waits five seconds for xAI's list of models, and every exit as long again.
    GROK_MODELS_BASE_URL: `${modelUrl}/v1`,
  }),
  files: (place) => ({
    '.grok/config.toml': [
      FEATURES,
      model('scripted-model', 'scripted-model', place),
      model('other-model-alias', 'other-model', place),
    ].join('\n'),
  }),
  hookTrust: (cwd) => ({
    files: { '.grok/trusted_folders.toml': `[folders.${JSON.stringify(cwd)}]\ntrusted = true\ndecided_at = 1\n` },
  }),
  namedKey: { file: '.grok/config.toml', from: 'api_key = "verify"', to: 'env_key = "VERIFY_NAMED_KEY"' },
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'other-model-alias', seen: 'other-model' },
  shellTool: (command) => ({ name: 'run_terminal_command', input: { command, description: 'verify' } }),
  writeTool: (path, content) => ({ name: 'write', input: { file_path: path, content } }),
  readTool: (path) => ({ name: 'read_file', input: { target_file: path } }),
  toolNames: { shell: 'Bash', write: 'Edit' },
  mcpCall: (server, tool, input) => ({
    name: 'use_tool',
    input: { tool_name: `${server}__${tool}`, tool_input: input },
  }),
  unmanaged: { args: (prompt) => ['--trust', '--always-approve', '-p', prompt], inRepository: true },
  terminal: {
    shows: 'Shift+Tab:mode',
    // The first answer would allow everything from then on.
    asks: { question: 'Yes, proceed', keys: ['3'] },
    leave: ['/quit', '\r'],
  },
  // Beyond about 100 KB.
  quirks: { reasonHidden: true, longPromptFile: /is saved verbatim in:\s*(\S+)/ },
};
