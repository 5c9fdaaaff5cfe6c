import type { AdapterSpec, AuthCheck } from '@agent-mux/core';
import { envKeys } from '../shared/env-keys.ts';
import { RUN, SERVE } from './capabilities.ts';
import { type FamilyFiles, familySchema } from './config.ts';
import type { FamilyDialect } from './dialect.ts';
import { launchRun, launchServer } from './launch.ts';
import { MODEL_QUERY } from './models.ts';
import { familyPlugins } from './plugins.ts';
import { endRun, parseRunLine } from './run/events.ts';
import { familyCodec } from './server/codec.ts';
import { ownServer } from './server/own-server.ts';
import { familyStore } from './sessions.ts';
import { TERMINAL } from './terminal.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/**
 * Providers with an environment variable that both CLIs know; there are many more, each with its own. Without those
 * whose key is for more than models: GITHUB_TOKEN is for the repositories of the host.
 */
export const PROVIDER_KEYS: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'CEREBRAS_API_KEY',
  'AZURE_API_KEY',
  'AZURE_RESOURCE_NAME',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_PROFILE',
  'AWS_REGION',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_CLOUD_PROJECT',
];

/** opencode and its forks: `serve` with one server for many runs, and `run` with a process per turn. */
export function familySpec(dialect: FamilyDialect, files: FamilyFiles) {
  const { agent, displayName, command } = dialect;
  return {
    agent,
    displayName,
    cliCommand: command,
    modes: [
      {
        name: 'serve',
        driver: 'http',
        summary: 'a server on loopback that runs share, with a stream of events',
        capabilities: SERVE,
        live: { transport: 'http', codec: familyCodec(dialect), waitForSession: true, server: ownServer(dialect) },
      },
      {
        name: 'run',
        driver: 'oneshot',
        outputFormat: 'jsonl',
        summary: 'a process per turn, the prompt on stdin, whole messages out',
        capabilities: RUN,
      },
    ],
    terminal: TERMINAL,
    toolKinds: TOOL_KINDS,
    modelQuery: MODEL_QUERY,
    configSchema: familySchema(agent, files),
    sessionStore: familyStore(dialect),
    plugins: familyPlugins(agent),
    launch: (options, env) => (options.mode === 'run' ? launchRun : launchServer)(options, dialect, env),
    parse: parseRunLine,
    parseEnd: endRun,
  } satisfies AdapterSpec;
}

/** Providers with a CLI login. Its login file stays, empty, after the last logout. */
const LOGIN_PROVIDERS: readonly string[] = [
  'anthropic',
  'openai',
  'github-copilot',
  'google',
  'openrouter',
  'xai',
  'groq',
  'deepseek',
  'mistral',
  'zai',
  'moonshotai',
];

/** The CLI itself renews an expired login. */
export function familyAuthChecks(folder: string, provider: string, own: readonly string[]): readonly AuthCheck[] {
  const file = `{XDG_DATA_HOME:-~/.local/share}/${folder}/auth.json`;
  return [
    ...[provider, ...LOGIN_PROVIDERS].flatMap((name): AuthCheck[] => [
      { file, key: `${name}.key`, method: 'api_key' },
      { file, key: `${name}.refresh`, method: 'oauth' },
    ]),
    ...envKeys([...own, ...PROVIDER_KEYS.filter((name) => name.endsWith('_KEY'))]),
    { unseen: 'a provider may be configured with its own key, or need none' },
  ];
}
