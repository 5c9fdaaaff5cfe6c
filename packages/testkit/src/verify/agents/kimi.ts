import type { AgentSetup, VerifySandbox } from '../agent-setup.ts';

const MODELS = ['scripted-model', 'other-model'];

/** Models with declared capabilities: without them thinking is only on or off. */
const model = (name: string): string[] => [
  `[models.${name}]`,
  'provider = "verify"',
  `model = "${name}"`,
  'max_context_size = 1000000',
  'capabilities = ["thinking", "image_in", "tool_use"]',
  'support_efforts = ["minimal", "low", "medium", "high", "xhigh", "max"]',
  'default_effort = "medium"',
  'off_effort = "none"',
];

const config = ({ modelUrl }: VerifySandbox): string =>
  [
    `default_model = "${MODELS[0]}"`,
    'telemetry = false',
    '[providers.verify]',
    'type = "openai"',
    `base_url = "${modelUrl}/v1"`,
    'api_key = "verify"',
    ...MODELS.flatMap(model),
    '',
  ].join('\n');

/** Kimi Code CLI 2.1. */
export const kimiSetup: AgentSetup = {
  agent: 'kimi',
  cli: 'kimi',
  api: 'openai-chat',
  env: () => ({}),
  files: (place) => ({ '.kimi-code/config.toml': config(place) }),
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'other-model', seen: 'other-model' },
  shellTool: (command) => ({ name: 'Bash', input: { command } }),
  writeTool: (path, content) => ({ name: 'Write', input: { path, content } }),
  readTool: (path) => ({ name: 'Read', input: { path } }),
  questionTool: (question, options) => ({
    name: 'AskUserQuestion',
    input: {
      questions: [
        {
          question,
          header: 'Verify',
          options: options.map((label) => ({ label, description: `choose ${label}` })),
          multi_select: false,
        },
      ],
    },
  }),
  // A 429 or a 500 is not reported while it is retried.
  unmanaged: { args: (prompt) => ['-p', prompt] },
  quirks: { rateLimit: 'silent', serverError: 'silent', reasonHidden: true },
};
