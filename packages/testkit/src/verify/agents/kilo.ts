import type { AgentSetup } from '../agent-setup.ts';
import { seedDefinition } from '../seed-definitions.ts';
import { installedPlugin, openCodeConfig, openCodeTools } from './opencode-family.ts';

/** Kilo Code CLI 7.7. */
export const kiloSetup: AgentSetup = {
  agent: 'kilo',
  cli: 'kilo',
  api: 'openai-chat',
  // A process takes 15 s of CPU to start, and `run` starts one per turn.
  slowModes: ['serve', 'run'],
  patience: 2,
  env: () => ({
    KILO_DISABLE_MODELS_FETCH: '1',
    KILO_DISABLE_AUTOUPDATE: '1',
    KILO_DISABLE_SESSION_INGEST: '1',
    KILO_TELEMETRY_LEVEL: 'off',
  }),
  files: (place) => ({
    '.config/kilo/kilo.json': openCodeConfig(place),
    ...installedPlugin('.config/kilo', '@kilocode/plugin'),
  }),
  namedKey: { file: '.config/kilo/kilo.json', from: '"apiKey":"verify"', to: '"apiKey":"{env:VERIFY_NAMED_KEY}"' },
  // Its own provider of that name would need a login.
  definition: {
    written: seedDefinition('kilo'),
    seen: 'claude-sonnet-4',
    files: (place) => ({
      '.config/kilo/kilo.json': openCodeConfig(place, { provider: 'anthropic', models: ['claude-sonnet-4'] }),
    }),
  },
  unmanaged: { args: () => ['run', '--auto'], stdin: true, files: installedPlugin('.kilo', '@kilocode/plugin') },
  terminal: { shows: 'ctrl+p commands', leave: ['/exit', '\r'] },
  ...openCodeTools,
};
