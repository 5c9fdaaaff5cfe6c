import {
  type DefinedAdapter,
  type DetectInstallationResult,
  defineAdapter,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import {
  ATTACHED,
  basicAuth,
  eventsPath,
  type FamilyDialect,
  familyCodec,
  HEALTH_PATH,
  OPENCODE_DIALECT,
} from '../opencode-family/index.ts';
import { TOOL_KINDS } from '../opencode-family/tool-kinds.ts';
import { record } from '../shared/json.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';

/** Default address of `opencode serve`. */
const DEFAULT_URL = 'http://127.0.0.1:4096';

export interface OpenCodeHttpOptions {
  baseUrl?: string;
  username?: string;
  password?: string;
}

const DIALECT: FamilyDialect = { ...OPENCODE_DIALECT, agent: 'opencode-http', attached: true };

/** For a program that knows where the server is. Values of a run win, those of the host's environment lose. */
export function attachOpenCode(options: OpenCodeHttpOptions = {}): DefinedAdapter {
  const setting = (name: string, own: string | undefined, run: ResolvedRunOptions, env: NodeJS.ProcessEnv) =>
    run.env?.[name] || own || env[name];
  return defineAdapter({
    agent: 'opencode-http',
    displayName: 'OpenCode (HTTP)',
    cliCommand: 'opencode',
    verifiedVersions: VERIFIED_RELEASES['opencode-http'],
    needsNoInstall: true,
    modes: [
      {
        name: 'http',
        driver: 'http',
        summary: 'attaches to a server that already runs',
        capabilities: ATTACHED,
        live: {
          transport: 'http',
          codec: familyCodec(DIALECT),
          waitForSession: true,
          server: {
            baseUrl: (run, env) => setting('OPENCODE_BASE_URL', options.baseUrl, run, env) ?? DEFAULT_URL,
            headers: (run, _password, env) => {
              const password = setting('OPENCODE_SERVER_PASSWORD', options.password, run, env);
              const user =
                setting('OPENCODE_SERVER_USERNAME', options.username, run, env) ?? OPENCODE_DIALECT.serverUser;
              return password ? basicAuth(user, password) : {};
            },
            healthPath: HEALTH_PATH,
            isHealthy: (body) => record(body).healthy === true,
            eventsPath: ({ cwd }) => eventsPath(cwd),
          },
        },
      },
    ],
    toolKinds: TOOL_KINDS,
    detectInstallation: (env = process.env) => lookForServer(options.baseUrl || env.OPENCODE_BASE_URL || DEFAULT_URL),
    envAllowList: ['OPENCODE_*'],
    authChecks: [{ env: 'OPENCODE_SERVER_PASSWORD', method: 'api_key' }, { unseen: 'a server may need no password' }],
    // The providers are the server's own business.
    authGuidance: {
      steps: ['Start `opencode serve`, and set OPENCODE_SERVER_PASSWORD to the password that it was started with.'],
      methods: [{ type: 'api_key', name: 'Password of the server', envVars: ['OPENCODE_SERVER_PASSWORD'] }],
      docsUrl: 'https://opencode.ai/docs',
    },
    // Nothing is ever started; this only names the server.
    launch: ({ env }) => ({ command: env?.OPENCODE_BASE_URL ?? options.baseUrl ?? DEFAULT_URL, args: [] }),
  });
}

/** Time for a server to answer: less than a check of all agents takes. */
const ANSWERS_WITHIN_MS = 1500;

/** A server that wants a password exists, too. */
async function lookForServer(baseUrl: string): Promise<DetectInstallationResult> {
  const absent = { installed: false, notes: `nothing answers at ${baseUrl}: start \`opencode serve\`` };
  try {
    const answer = await fetch(new URL(HEALTH_PATH, baseUrl), { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    if (answer.status === 401 || answer.status === 403) return { installed: true };
    const { healthy, version } = record(await answer.json());
    if (healthy !== true) return absent;
    return { installed: true, ...(typeof version === 'string' ? { version } : {}) };
  } catch {
    return absent;
  }
}

/**
 * An OpenCode server that was started outside agent-mux. It is located by the run's or the host's OPENCODE_BASE_URL,
 * with OPENCODE_SERVER_PASSWORD and OPENCODE_SERVER_USERNAME, and left as it was: a run ends what it started there.
 */
export const openCodeHttpAdapter = attachOpenCode();
