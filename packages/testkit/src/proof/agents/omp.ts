import type { AgentProof } from '../agent-proof.ts';
import { ASKING_EXTENSION, writeModels } from './pi-family.ts';

/** The settings of a user who lets everything pass: what is asked of a run goes before them. */
const CARELESS = JSON.stringify({
  // Tools of MCP servers are then called by their names, and not through another tool.
  tools: { xdev: false, approvalMode: 'yolo', approval: { bash: 'allow', write: 'allow', eval: 'allow' } },
  bash: { patterns: [{ match: '*', approval: 'allow' }] },
});

/** omp 18.2. To an Anthropic API it gives the names of its tools with an underscore in front. */
export const ompProof: AgentProof = {
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
  namedKey: { file: '.omp/agent/models.yml', from: '"apiKey":"proof"', to: '"apiKey":"PROOF_NAMED_KEY"' },
  model: { name: 'proof/scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'proof/other-model', seen: 'other-model' },
  effortlessModel: 'proof/plain-model',
  // The shell is one of its own, in its own process: what it has built in (sleep) would be no process.
  shellTool: (command) => ({ name: '_bash', input: { command: `sh -c '${command.replaceAll("'", "'\\''")}'` } }),
  writeTool: (path, content) => ({ name: '_write', input: { path, content } }),
  readTool: (path) => ({ name: '_read', input: { path } }),
  ownName: (offered) => offered.replace(/^_/, ''),
  toolNames: { shell: 'bash', write: 'write' },
  questionTool: (question, options) => ({ name: '_ask_user', input: { question, options } }),
  byHand: { args: (prompt) => ['-p', '--model', 'proof/scripted-model', prompt] },
  terminal: {
    // Else five steps of its own setup come first. What it says of single tools would go before the level of the screen.
    ready: () => ({ files: { '.omp/agent/config.yml': JSON.stringify({ setupVersion: 2 }) } }),
    asks: { question: 'Allow tool: bash', keys: ['\r'] },
    shows: /omp v\d/,
    leave: ['/quit', '\r'],
  },
  quirks: {
    reasonHidden: true,
    maxPromptChars: 3_000_000,
    // Ten attempts, a minute in all, of which nothing is told and which no setting shortens.
    serverError: 'silent',
  },
};
