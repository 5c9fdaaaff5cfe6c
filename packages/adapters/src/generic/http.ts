import {
  type AgentCapabilities,
  type AgentMode,
  CapabilityError,
  type DetectInstallationResult,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { z } from 'zod';
import { durationMs } from './duration.ts';
import { expandEnvReferences } from './env-references.ts';
import { CANNOT_ASK, GenericAdapter } from './generic-adapter.ts';
import { httpCodec } from './http-codec.ts';
import type { DefinitionProfile } from './profile.ts';

const HttpConfigSchema = z.strictObject({
  base_url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  method: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['POST', 'PUT', 'PATCH', 'GET']))
    .prefault('POST'),
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'is no name of a header'), z.string()).default({}),
  timeout: durationMs.prefault('60s'),
});
export type HttpConfig = z.infer<typeof HttpConfigSchema>;

const CAPABILITIES: AgentCapabilities = { ...CANNOT_ASK, execModel: 'request-response', supportsMultiTurn: true };

/** Any endpoint that takes a message and answers with text, JSON, JSON lines or server-sent events. */
export class GenericHttpAdapter extends GenericAdapter {
  readonly #config: HttpConfig;
  override readonly needsNoInstall = true;
  override readonly modes: readonly AgentMode[];

  constructor(id: string, name: string, config: HttpConfig) {
    super(id, name, config.base_url);
    this.#config = config;
    const { origin, pathname, search } = new URL(config.base_url);
    const codec = httpCodec(name, {
      method: config.method,
      path: `${pathname}${search}`,
      contentType: contentType(config.headers) ?? 'application/json',
      timeoutMs: config.timeout,
    });
    this.modes = [
      {
        name: 'http',
        driver: 'http',
        summary: 'a request per message',
        capabilities: CAPABILITIES,
        live: {
          transport: 'http',
          codec: {
            ...codec,
            open: (options) => {
              this.#refuse(options);
              return codec.open(options);
            },
          },
          sessionFirst: false,
          server: { baseUrl: () => origin, headers: () => this.#headers() },
        },
      },
    ];
  }

  override async detectInstallation(): Promise<DetectInstallationResult> {
    return { installed: true };
  }

  /** Nothing is ever started; this only says what is reached. */
  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    this.#refuse(options);
    return { command: this.#config.base_url, args: [], env: {}, cwd: options.cwd, usePty: false };
  }

  /** Before the first request: what cannot be honoured, and headers that lack a variable. */
  #refuse(options: ResolvedRunOptions): void {
    this.refuseNativeMode(options);
    if (options.invocation.mode !== 'local') {
      const message = `${this.displayName} is reached over HTTP: it has no process to start elsewhere (option invocation)`;
      throw new CapabilityError(this.agent, 'invocation', message);
    }
    this.#headers();
  }

  #headers(): Record<string, string> {
    const headers = expandEnvReferences(this.agent, 'http.headers', this.#config.headers);
    const given = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
    return Object.fromEntries(given.filter(([name]) => name !== 'content-type'));
  }
}

function contentType(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}

export const httpProfile: DefinitionProfile<HttpConfig> = {
  profile: 'generic-http',
  key: 'http',
  schema: HttpConfigSchema,
  create: (id, name, config) => new GenericHttpAdapter(id, name, config),
};
