import type { AgentSetup, VerifySandbox } from '../agent-setup.ts';

/** What `cline auth -p openai` writes. */
const providers = ({ modelUrl }: VerifySandbox): string =>
  JSON.stringify({
    version: 1,
    lastUsedProvider: 'openai-compatible',
    modes: {},
    providers: {
      'openai-compatible': {
        settings: {
          provider: 'openai-compatible',
          apiKey: 'verify',
          model: 'scripted-model',
          baseUrl: `${modelUrl}/v1`,
        },
        updatedAt: '2026-11-01T00:00:00.000Z',
        tokenSource: 'manual',
      },
    },
  });

/** Cline CLI 3.0.65. */
export const clineSetup: AgentSetup = {
  agent: 'cline',
  cli: 'cline',
  api: 'openai-chat',
  env: () => ({}),
  files: (place) => ({ '.cline/data/settings/providers.json': providers(place) }),
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'other-model', seen: 'other-model' },
  shellTool: (command) => ({ name: 'run_commands', input: { commands: [command] } }),
  writeTool: (path, content) => ({ name: 'editor', input: { path, new_text: content } }),
  readTool: (path) => ({ name: 'read_files', input: { files: [{ path }] } }),
  unmanaged: {
    args: (prompt) => ['--auto-approve=true', prompt],
    // Otherwise it starts a process that keeps running.
    env: { CLINE_NO_AUTO_UPDATE: '1', CLINE_SESSION_BACKEND_MODE: 'local' },
    promptUnreported: true,
  },
  // It silently retries a 429 for two minutes and a 500 for one.
  quirks: { rateLimit: 'silent', serverError: 'silent' },
};
