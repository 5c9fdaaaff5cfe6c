import type { AgentProof } from '../agent-proof.ts';
import { seedDefinition } from '../seed-definitions.ts';

/** Claude Code 2.1. */
export const claudeProof: AgentProof = {
  agent: 'claude',
  cli: 'claude',
  api: 'anthropic',
  env: ({ modelUrl }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-proof',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  // Without it bypassPermissions is refused to root.
  runEnv: { IS_SANDBOX: '1' },
  model: { name: 'claude-sonnet-5-5', seen: 'claude-sonnet-5-5' },
  budgetModel: 'claude-haiku-4-5',
  otherModel: { name: 'haiku', seen: 'claude-haiku-5-5' },
  definition: { written: seedDefinition('claude'), seen: 'claude-sonnet-5-5' },
  shellTool: (command) => ({ name: 'Bash', input: { command, description: 'proof' } }),
  writeTool: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
  readTool: (path) => ({ name: 'Read', input: { file_path: path } }),
  questionTool: (question, options) => ({
    name: 'AskUserQuestion',
    input: {
      questions: [
        {
          question,
          header: 'Proof',
          options: options.map((label) => ({ label, description: `choose ${label}` })),
          multiSelect: false,
        },
      ],
    },
  }),
  subagentTool: (prompt) => ({
    name: 'Agent',
    input: { description: 'proof', prompt, subagent_type: 'general-purpose', run_in_background: false },
  }),
  // Tools of MCP servers are not listed: the model finds them by ToolSearch, and may call them by name.
  mcpTool: (server, tool) => `mcp__${server}__${tool}`,
  overSsh: true,
  quirks: { maxPromptChars: 2_000_000 },
  rateLimitStatus: {
    env: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-proof' },
    headers: {
      'anthropic-ratelimit-unified-status': 'allowed_warning',
      'anthropic-ratelimit-unified-reset': '4102444800',
      'anthropic-ratelimit-unified-5h-status': 'allowed_warning',
      'anthropic-ratelimit-unified-5h-reset': '4102444800',
      'anthropic-ratelimit-unified-5h-utilization': '0.91',
      'anthropic-ratelimit-unified-7d-status': 'allowed',
      'anthropic-ratelimit-unified-7d-reset': '4102444800',
      'anthropic-ratelimit-unified-7d-utilization': '0.4',
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    },
  },
};
