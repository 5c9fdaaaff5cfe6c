import type { AgentSetup } from '../agent-setup.ts';
import { installedPlugin, openCodeConfig, openCodeTools } from './opencode-family.ts';

/** OpenCode 1.18. */
export const openCodeSetup: AgentSetup = {
  agent: 'opencode',
  cli: 'opencode',
  api: 'openai-chat',
  slowModes: ['run'],
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  files: (place) => ({
    '.config/opencode/opencode.json': openCodeConfig(place),
    ...installedPlugin('.config/opencode', '@opencode-ai/plugin'),
  }),
  namedKey: {
    file: '.config/opencode/opencode.json',
    from: '"apiKey":"verify"',
    to: '"apiKey":"{env:VERIFY_NAMED_KEY}"',
  },
  unmanaged: {
    args: () => ['run', '--auto'],
    stdin: true,
    files: installedPlugin('.opencode', '@opencode-ai/plugin'),
  },
  terminal: { shows: 'ctrl+p commands', leave: ['/exit', '\r'] },
  ...openCodeTools,
};

const PASSWORD = 'verify-password';

/** The same CLI as a server that the user has started. */
export const openCodeHttpSetup: AgentSetup = {
  ...openCodeSetup,
  agent: 'opencode-http',
  // Its server has the environment of the user who started it.
  namedKey: undefined,
  // The codec and the calls of a spawned server, which `opencode` covers in full.
  slowModes: ['http'],
  quirks: { keepsDetached: true },
  service: {
    command: 'opencode',
    args: ['serve', '--port', '0', '--hostname', '127.0.0.1'],
    env: { OPENCODE_SERVER_PASSWORD: PASSWORD },
    readUrl: (line) => /listening on (http:\/\/\S+)/.exec(line)?.[1],
    envFor: (url) => ({ OPENCODE_BASE_URL: url, OPENCODE_SERVER_PASSWORD: PASSWORD }),
  },
};
