import type { AgentSetup } from '../agent-setup.ts';
import { ASKING_EXTENSION, writeModels } from './pi-family.ts';

/** The settings of a user who allows everything: the options of a run override them. */
const CARELESS = JSON.stringify({
  // Tools of MCP servers are then called by their names, and not through another tool.
  tools: { xdev: false, approvalMode: 'yolo', approval: { bash: 'allow', write: 'allow', eval: 'allow' } },
  bash: { patterns: [{ match: '*', approval: 'allow' }] },
});

/** omp 18.2. To an Anthropic API it gives the names of its tools with an underscore in front. */
export const ompSetup: AgentSetup = {
  agent: 'omp',
  cli: 'omp',
  api: 'anthropic',
  env: () => ({}),
  files: (place) => ({
    '.omp/agent/models.yml': writeModels(place, { maxTokens: 40_000 }),
    '.omp/agent/config.yml': CARELESS,
    '.omp/agent/extensions/ask-user.ts': ASKING_EXTENSION,
  }),
  slowModes: ['json'],
  namedKey: { file: '.omp/agent/models.yml', from: '"apiKey":"verify"', to: '"apiKey":"VERIFY_NAMED_KEY"' },
  model: { name: 'verify/scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'verify/other-model', seen: 'other-model' },
  effortlessModel: 'verify/plain-model',
  // The shell is built in and runs in its own process: built-in commands (sleep) would not be a process.
  shellTool: (command) => ({ name: '_bash', input: { command: `sh -c '${command.replaceAll("'", "'\\''")}'` } }),
  writeTool: (path, content) => ({ name: '_write', input: { path, content } }),
  readTool: (path) => ({ name: '_read', input: { path } }),
  ownName: (offered) => offered.replace(/^_/, ''),
  toolNames: { shell: 'bash', write: 'write' },
  questionTool: (question, options) => ({ name: '_ask_user', input: { question, options } }),
  unmanaged: { args: (prompt) => ['-p', '--model', 'verify/scripted-model', prompt] },
  terminal: {
    // Otherwise five setup steps come first. Settings of single tools would override the level of the terminal UI.
    ready: () => ({ files: { '.omp/agent/config.yml': JSON.stringify({ setupVersion: 2 }) } }),
    asks: { question: 'Allow tool: bash', keys: ['\r'] },
    shows: /omp v\d/,
    leave: ['/quit', '\r'],
  },
  quirks: {
    reasonHidden: true,
    maxPromptChars: 3_000_000,
    // Ten attempts, a minute in all, which are not reported and which no setting shortens.
    serverError: 'silent',
  },
};
