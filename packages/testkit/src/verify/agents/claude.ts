import type { AgentSetup } from '../agent-setup.ts';
import { seedDefinition } from '../seed-definitions.ts';
import { askOneQuestion } from './questions.ts';

const SONNET = 'claude-sonnet-5-5';
/** No release uses this name for its alias: a request that names it got it from the variable. */
const HAIKU = 'claude-haiku-4-5';

/** Claude Code 2.1. */
export const claudeSetup: AgentSetup = {
  agent: 'claude',
  cli: 'claude',
  api: 'anthropic',
  env: ({ modelUrl }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-verify',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // The user defines the aliases: without these, each release uses its newest models.
    ANTHROPIC_DEFAULT_HAIKU_MODEL: HAIKU,
    ANTHROPIC_DEFAULT_SONNET_MODEL: SONNET,
  }),
  runEnv: {
    // Without it root may not use bypassPermissions.
    IS_SANDBOX: '1',
    // A release that does not know a model refuses long prompts, unless it gets the window.
    DISABLE_COMPACT: '1',
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: '1000000',
  },
  model: { name: SONNET, seen: SONNET },
  budgetModel: 'claude-haiku-4-5',
  otherModel: { name: 'haiku', seen: HAIKU },
  definition: { written: seedDefinition('claude'), seen: SONNET },
  shellTool: (command) => ({ name: 'Bash', input: { command, description: 'verify' } }),
  writeTool: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
  readTool: (path) => ({ name: 'Read', input: { file_path: path } }),
  questionTool: (question, options) => ({
    name: 'AskUserQuestion',
    input: askOneQuestion(question, options),
  }),
  subagentTool: (prompt) => ({
    name: 'Agent',
    input: { description: 'verify', prompt, subagent_type: 'general-purpose', run_in_background: false },
  }),
  // Tools of MCP servers are not listed: the model finds them by ToolSearch, and may call them by name.
  mcpTool: (server, tool) => `mcp__${server}__${tool}`,
  unmanaged: { args: (prompt) => ['-p', '--dangerously-skip-permissions', prompt] },
  terminal: {
    ready: ({ cwd }) => ({
      files: {
        '.claude.json': JSON.stringify({
          hasCompletedOnboarding: true,
          theme: 'dark',
          // Keys are identified by their last characters.
          customApiKeyResponses: { approved: ['sk-ant-verify'] },
          projects: { [cwd]: { hasTrustDialogAccepted: true } },
        }),
      },
    }),
    shows: /Claude Code v\d/,
    asks: { question: 'Do you want to proceed?', keys: ['\r'] },
    leave: ['/exit', '\r'],
  },
  overSsh: true,
  quirks: { maxPromptChars: 2_000_000 },
  rateLimitStatus: {
    env: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-verify' },
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
