import type { AgentSetup } from '../agent-setup.ts';
import { seedDefinition } from '../seed-definitions.ts';

const MODEL = 'verify-coder';
const OTHER_MODEL = 'verify-thinker';
/** Longer than everything Codex adds to it, like its own: the verification looks for the middle of the whole. */
const BASE_INSTRUCTIONS = Array.from(
  { length: 200 },
  (_, rule) => `Rule ${rule + 1} of the coding agent under test: do only what you are asked for.`,
).join('\n');

/** Codex 0.166, with a custom provider and custom models: those of its built-in list hide the tools of MCP servers. */
export const codexSetup: AgentSetup = {
  agent: 'codex',
  cli: 'codex',
  api: 'openai-responses',
  env: () => ({ OPENAI_API_KEY: 'sk-verify' }),
  files: ({ modelUrl, home }) => ({
    '.codex/config.toml': [
      `model = "${MODEL}"`,
      'model_provider = "verify"',
      `model_catalog_json = ${JSON.stringify(`${home}/.codex/verify-models.json`)}`,
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.verify]',
      'name = "verify"',
      `base_url = "${modelUrl}/v1"`,
      'wire_api = "responses"',
      'env_key = "OPENAI_API_KEY"',
      '',
    ].join('\n'),
    '.codex/verify-models.json': JSON.stringify({ models: [MODEL, OTHER_MODEL].map(catalogEntry) }),
  }),
  // Each of them is reviewed in a terminal.
  hookTrust: 'person',
  model: { name: MODEL, seen: MODEL },
  otherModel: { name: OTHER_MODEL, seen: OTHER_MODEL },
  definition: { written: seedDefinition('codex'), seen: 'gpt-5' },
  shellTool: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  writeTool: (path, content) => ({ name: 'apply_patch', input: addFile(path, content) }),
  subagentTool: (prompt) => ({ name: 'spawn_agent', input: { message: prompt } }),
  namedKey: {
    file: '.codex/config.toml',
    from: 'env_key = "OPENAI_API_KEY"',
    to: 'env_key = "VERIFY_NAMED_KEY"',
    refuses: true,
  },
  thinkingOverride: { value: { model_reasoning_summary: 'detailed' }, seen: '"summary":"detailed"' },
  rateLimitStatus: {
    headers: {
      'x-codex-primary-used-percent': '91',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': '4102444800',
      'x-codex-secondary-used-percent': '40',
      'x-codex-secondary-window-minutes': '10080',
      'x-codex-secondary-reset-at': '4102444800',
    },
  },
  unmanaged: {
    args: (_, cwd) => [
      'exec',
      '-c',
      `projects={${JSON.stringify(cwd)}={trust_level="trusted"}}`,
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '--dangerously-bypass-hook-trust',
      '-',
    ],
    stdin: true,
  },
  terminal: {
    shows: /OpenAI Codex \(v\d/,
    asks: {
      question: 'Would you like to run the following command?',
      keys: ['\r'],
      // It asks for what its sandbox forbids if the model says so.
      call: (command) => ({
        name: 'exec_command',
        input: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'verify' },
      }),
    },
    leave: ['/quit', '\r'],
  },
  quirks: { maxPromptChars: 1_048_576 },
};

function addFile(path: string, content: string): string {
  const lines = content.split('\n').map((line) => `+${line}`);
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines, '*** End Patch', ''].join('\n');
}

function catalogEntry(slug: string): Record<string, unknown> {
  return {
    slug,
    display_name: slug,
    description: 'the scripted model',
    default_reasoning_level: 'medium',
    supported_reasoning_levels: ['low', 'medium', 'high', 'xhigh', 'max'].map((effort) => ({
      effort,
      description: effort,
    })),
    shell_type: 'unified_exec',
    visibility: 'list',
    supported_in_api: true,
    priority: 1,
    base_instructions: BASE_INSTRUCTIONS,
    supports_reasoning_summaries: true,
    support_verbosity: true,
    default_verbosity: 'low',
    apply_patch_tool_type: 'freeform',
    truncation_policy: { mode: 'tokens', limit: 10_000 },
    supports_parallel_tool_calls: true,
    context_window: 272_000,
    max_context_window: 272_000,
    effective_context_window_percent: 95,
    experimental_supported_tools: [],
    input_modalities: ['text', 'image'],
    supports_search_tool: false,
  };
}
