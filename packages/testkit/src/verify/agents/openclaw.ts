import type { AgentSetup, VerifySandbox } from '../agent-setup.ts';

/** One gateway per process of the verification. */
const PORT = 20_000 + (process.pid % 20_000);

const model = (id: string) => ({
  id,
  name: id,
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  contextWindow: 200_000,
  maxTokens: 8000,
});

const config = ({ modelUrl, home }: VerifySandbox): string =>
  JSON.stringify({
    gateway: { mode: 'local', port: PORT, auth: { mode: 'none' } },
    models: {
      mode: 'merge',
      providers: {
        verify: {
          baseUrl: modelUrl,
          apiKey: 'verify',
          api: 'anthropic-messages',
          models: [model('scripted-model'), model('other-model')],
        },
        // For custom models it supports no effort above `high`.
        anthropic: {
          baseUrl: modelUrl,
          apiKey: 'verify',
          api: 'anthropic-messages',
          models: [model('claude-opus-4-7')],
        },
      },
    },
    // It would call the model on its own, for its memories and to look for something to do.
    plugins: { slots: { memory: 'none' } },
    agents: {
      defaults: {
        model: { primary: 'verify/scripted-model' },
        workspace: `${home}/workspace`,
        heartbeat: { every: '0m' },
      },
    },
  });

/** OpenClaw 2026.9.6, with a gateway that the user has started. */
export const openClawSetup: AgentSetup = {
  agent: 'openclaw',
  cli: 'openclaw',
  api: 'anthropic',
  // A process takes many seconds to start, and a run has two of them.
  slowModes: ['acp', 'exec'],
  patience: 3,
  // The gateway keeps them for all sessions, and offers their tools by a search of tools (2026.9.6).
  nativeMcp: false,
  env: () => ({ OPENCLAW_NO_AUTO_UPDATE: '1', OPENCLAW_SKIP_CHANNELS: '1', OPENCLAW_DISABLE_BONJOUR: '1' }),
  files: (place) => ({ '.openclaw/openclaw.json': config(place) }),
  service: {
    command: 'openclaw',
    args: ['gateway', 'run', '--bind', 'loopback'],
    readUrl: (line) => (/\[gateway\]\S* \S*ready\b/.test(line) ? `ws://127.0.0.1:${PORT}` : undefined),
    envFor: () => ({}),
  },
  model: { name: 'verify/scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'verify/other-model', seen: 'other-model' },
  effortModel: 'anthropic/claude-opus-4-7',
  shellTool: (command) => ({ name: 'exec', input: { command } }),
  writeTool: (path, content) => ({ name: 'write', input: { path, content } }),
  readTool: (path) => ({ name: 'read', input: { path } }),
  modeQuirks: {
    acp: {
      rateLimit: 'silent',
      serverError: 'silent',
      silentStartMs: 60_000,
      composesUnicode: true,
      keepsDetached: true,
      failureUnexplained: true,
      hidesWordsBeforeTools: true,
      mergesText: true,
    },
  },
};
