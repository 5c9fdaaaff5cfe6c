import { type AgentCapabilities, CapabilityError, type DefinedAdapter, defineAdapter } from '@agent-mux/core';
import { z } from 'zod';
import { durationMs } from './duration.ts';
import { expandEnvReferences } from './env-references.ts';
import { genericSpec, NO_APPROVALS } from './generic-adapter.ts';
import { httpCodec, isJsonType } from './http-codec.ts';
import type { ResponsePaths } from './http-response.ts';
import { inspectTemplate } from './http-template.ts';
import { jsonPath } from './json-path.ts';
import { type DefinitionProfile, type DefinitionSource, noFile } from './profile.ts';

const HttpConfigSchema = z
  .strictObject({
    base_url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
    method: z
      .string()
      .toUpperCase()
      .pipe(z.enum(['POST', 'PUT', 'PATCH', 'GET']))
      .prefault('POST'),
    headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'is not a valid header name'), z.string()).default({}),
    timeout: durationMs.prefault('60s'),
    /** JSON with placeholders such as `{{prompt}}` and `{{messages}}`. */
    body: z.unknown().optional(),
    answer: jsonPath.optional(),
    delta: jsonPath.optional(),
    usage: z.strictObject({ input_tokens: jsonPath.optional(), output_tokens: jsonPath.optional() }).optional(),
    model: z.string().default(''),
    system_prompt: z.string().default(''),
  })
  .superRefine((config, context) => {
    for (const [path, message] of contradictions(config)) context.addIssue({ code: 'custom', path: [path], message });
  });
export type HttpConfig = z.infer<typeof HttpConfigSchema>;

function contradictions(config: {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  answer?: string;
  delta?: string;
  usage?: unknown;
  model: string;
}): [string, string][] {
  const { method, headers, body, answer, delta, usage, model } = config;
  const found: [string, string][] = [];
  const { uses, problems } = inspectTemplate(body);
  if (body !== undefined) {
    found.push(...problems.map((problem): [string, string] => ['body', problem]));
    if (method === 'GET') found.push(['body', 'cannot be sent with GET']);
    if (!isJsonType(contentType(headers))) found.push(['body', 'is JSON, but the header Content-Type is not']);
  }
  if (model !== '' && !uses.has('model')) found.push(['model', 'is not sent: body has no {{model}}']);
  if (answer === undefined && delta !== undefined) found.push(['delta', 'requires answer']);
  if (answer === undefined && usage !== undefined) found.push(['usage', 'requires answer']);
  return found;
}

const CAPABILITIES: AgentCapabilities = { ...NO_APPROVALS, execModel: 'request-response', supportsMultiTurn: true };

/** Any endpoint that accepts a message and answers with text, JSON, JSON lines or server-sent events. */
export function defineHttpAgent(id: string, name: string, config: HttpConfig, place = noFile()): DefinedAdapter {
  const { origin, pathname, search } = new URL(config.base_url);
  const { uses } = inspectTemplate(config.body);
  const path = `${pathname}${search}`;
  const codec = httpCodec(name, {
    method: config.method,
    path,
    contentType: contentType(config.headers),
    timeoutMs: config.timeout,
    ...(config.body === undefined ? {} : { body: { template: config.body, uses } }),
    ...(config.answer === undefined ? {} : { answer: answerPlaces(config, config.answer) }),
  });
  const capabilities: AgentCapabilities = {
    ...CAPABILITIES,
    supportsModelSelection: uses.has('model'),
    reportsUsage: config.usage !== undefined,
    ...(uses.has('system') || uses.has('messages')
      ? { systemPrompt: { append: 'native', prepend: 'prefix' } as const }
      : {}),
  };
  const headers = () => headersOf(id, config, place);
  const generic = genericSpec({ id, name, command: config.base_url, place }, config);
  const adapter = defineAdapter({
    ...generic,
    needsNoInstall: true,
    modes: [
      {
        name: 'http',
        driver: 'http',
        summary: 'a request per message',
        capabilities,
        live: {
          transport: 'http',
          codec: {
            ...codec,
            open(options) {
              // Before the first request: refuses what a process start would refuse.
              adapter.buildSpawnArgs(options);
              return codec.open(options);
            },
          },
          waitForSession: false,
          server: { baseUrl: () => origin, headers, probePath: path },
        },
      },
    ],
    applyDefaults(options) {
      const model = options.model ?? config.model;
      return { ...generic.applyDefaults(options), ...(model ? { model } : {}) };
    },
    detectInstallation: async () => ({ installed: true }),
    // Nothing is ever started; this only names the endpoint. Throws if a header lacks a variable.
    launch({ invocation }) {
      if (invocation.mode !== 'local') {
        const message = `${name} is reached over HTTP and has no process to start remotely (option invocation)`;
        throw new CapabilityError(id, 'invocation', message);
      }
      headers();
      return { args: [] };
    },
  });
  return adapter;
}

function headersOf(id: string, config: HttpConfig, place: DefinitionSource): Record<string, string> {
  const headers = expandEnvReferences(id, 'http.headers', config.headers, place.env);
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  return Object.fromEntries(given.filter(([name]) => name !== 'content-type'));
}

function contentType(headers: Readonly<Record<string, string>>): string {
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  return given?.[1] ?? 'application/json';
}

function answerPlaces({ delta, usage }: HttpConfig, answer: string): ResponsePaths {
  const { input_tokens, output_tokens } = usage ?? {};
  return {
    answer,
    ...(delta === undefined ? {} : { delta }),
    ...(input_tokens === undefined ? {} : { inputTokens: input_tokens }),
    ...(output_tokens === undefined ? {} : { outputTokens: output_tokens }),
  };
}

export const httpProfile: DefinitionProfile<HttpConfig> = {
  profile: 'generic-http',
  key: 'http',
  schema: HttpConfigSchema,
  create: defineHttpAgent,
};
