import { AssertionError, deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type AgentAdapter,
  type AgentConfig,
  type AuthMethod,
  type AuthSetupGuidance,
  type AuthState,
  buildChildEnv,
  type ConfigField,
  expandPath,
} from '@agent-mux/core';
import { z } from 'zod';
import { awaitWithin } from '../assert-returned.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { contentsOf, inSandbox } from '../sandbox.ts';
import type { Subject } from '../subject.ts';
import { parse } from './check-preparations.ts';

const SECRET = 'contract-secret-6630';

const METHOD_TYPES = [
  'api_key',
  'browser_login',
  'oauth',
  'oauth_device',
  'github_token',
  'config_file',
  'none',
] as const;
const AuthStateSchema = z.strictObject({
  status: z.enum(['authenticated', 'unauthenticated', 'expired', 'unknown']),
  method: z.enum(METHOD_TYPES).optional(),
  identity: z.string().optional(),
  expiresAt: z.number().optional(),
  details: z.string().optional(),
}) satisfies z.ZodType<AuthState>;
const GuidanceSchema = z.strictObject({
  agent: z.string().min(1),
  steps: z.array(z.string()),
  methods: z.array(
    z.strictObject({
      type: z.enum(METHOD_TYPES),
      name: z.string().min(1),
      envVars: z.array(z.string()).optional(),
      command: z.string().optional(),
    }),
  ),
  docsUrl: z.url().optional(),
}) satisfies z.ZodType<AuthSetupGuidance>;

const ConfigSchema = z.strictObject({
  agent: z.string().optional(),
  model: z.string().optional(),
  sources: z.array(z.string()).readonly().optional(),
  values: z.record(z.string(), z.unknown()).optional(),
}) satisfies z.ZodType<AgentConfig>;

/** Auth and configuration on a machine that has never run the agent. */
export function authAndConfigChecks(subject: Subject): ContractCheck[] {
  return [...loginChecks(subject), ...configChecks(subject)];
}

function loginChecks({ adapter, fixtures }: Subject): ContractCheck[] {
  const envMethods = methodsOf(adapter).filter(({ envVars }) => (envVars?.length ?? 0) > 0);
  const look = async (env?: NodeJS.ProcessEnv): Promise<AuthState> =>
    parse(
      AuthStateSchema,
      await awaitWithin('detectAuth', () => adapter.detectAuth(env), fixtures.settleMs),
      'detectAuth',
    );
  return aboutTopic('its login', (show) => {
    show('is detected quickly and without an error if the user never logged in', () =>
      inSandbox(async ({ env }) => {
        await look(env);
        await look();
      }),
    );
    show('is detected without an error if the home folder cannot be read', () =>
      inSandbox(async ({ env, notes }) => {
        await look({ ...env, HOME: notes, USERPROFILE: notes });
      }),
    );
    show('is detected without changes, and only in the given environment', () =>
      inSandbox(async (place) => {
        const before = contentsOf(place);
        const plain = await look(place.env);
        for (const { envVars = [] } of envMethods) for (const name of envVars) process.env[name] = SECRET;
        deepStrictEqual(await look(place.env), plain, 'a key of this process is taken for one of another environment');
        deepStrictEqual(contentsOf(place), before, 'detectAuth has changed files');
      }),
    );
    show('is not reported if there is none', () =>
      inSandbox(async ({ env }) => {
        const { status, method } = await look(env);
        const needed = methodsOf(adapter).some(({ type }) => type !== 'none');
        ok(status !== 'authenticated' || method === 'none' || !needed, 'authenticated without any login');
      }),
    );
    show('is explained by steps and methods', () => {
      const guidance = parse(GuidanceSchema, adapter.getAuthGuidance(), 'getAuthGuidance');
      strictEqual(guidance.agent, adapter.agent);
    });
    for (const { name, envVars = [] } of envMethods) {
      const options = Object.fromEntries(envVars.map((variable) => [variable, SECRET]));
      show(`is detected with the variables of "${name}" without leaking their values`, () =>
        inSandbox(async ({ env }) => {
          const state = await look({ ...env, ...options });
          strictEqual(state.status, 'authenticated', `with ${envVars.join(', ')} set`);
          ok(!JSON.stringify(state).includes(SECRET), 'the state holds the secret');
        }),
      );
      show(`reaches the agent with the variables of "${name}"`, () => {
        const child = buildChildEnv({ hostEnv: options, envAllowList: adapter.envAllowList });
        deepStrictEqual(child, options, 'envAllowList does not let them pass');
      });
    }
  });
}

/** Undefined if ambiguous: a check reports that. */
function methodsOf(adapter: AgentAdapter): readonly AuthMethod[] {
  try {
    return GuidanceSchema.parse(adapter.getAuthGuidance()).methods;
  } catch {
    return [];
  }
}

function configChecks({ adapter, fixtures }: Subject): ContractCheck[] {
  const limit = fixtures.settleMs;
  const read = async (cwd?: string, env?: NodeJS.ProcessEnv): Promise<AgentConfig> =>
    parse(ConfigSchema, await awaitWithin('readConfig', () => adapter.readConfig(cwd, env), limit), 'readConfig');
  const write = async (config: Partial<AgentConfig>, cwd?: string): Promise<void> => {
    const options: unknown = await awaitWithin('writeConfig', () => adapter.writeConfig(config, cwd), limit);
    strictEqual(options, undefined, 'writeConfig returns nothing');
  };
  const { configSchema } = adapter;
  const user = configSchema.configFilePaths[0];
  const project = configSchema.projectConfigFilePaths[0];
  const json = (configSchema.format ?? 'json').startsWith('json');
  return aboutTopic('its native configuration', (show) => {
    show('is empty if there is none', () =>
      inSandbox(async (place) => {
        const { cwd, env } = place;
        const before = contentsOf(place);
        for (const config of [await read(cwd, env), await read(cwd)]) isEmpty(config);
        deepStrictEqual(contentsOf(place), before, 'readConfig has changed files');
      }),
    );
    if (user !== undefined) {
      show('does not count as empty if it cannot be read', () =>
        inSandbox(async ({ cwd, env }) => {
          put(expandPath(user, env, cwd), '\0[[[ "broken');
          await rejects(
            async () => read(cwd, env),
            (error) => !(error instanceof AssertionError),
            'a broken file was read',
          );
        }),
      );
    }
    for (const [whose, written] of [
      ['the user', user],
      ['the project', project],
    ] as const) {
      const fields = configSchema.fields.filter((field) => field.secret !== true).slice(0, 2);
      if (written === undefined || fields.length === 0) continue;
      show(`of ${whose} is written without changing anything else in it`, () =>
        inSandbox(async ({ cwd, env }) => {
          const path = expandPath(written, env, cwd);
          const other = { contractUnmentioned: { kept: [1, 2] } };
          if (json) put(path, JSON.stringify(other));
          const values: Record<string, unknown> = {};
          for (const field of fields) {
            values[field.name] = exampleOf(field);
            await write({ values: { [field.name]: values[field.name] } }, whose === 'the project' ? cwd : undefined);
          }
          const config = await read(cwd, env);
          deepStrictEqual(pick(config.values, Object.keys(values)), values);
          ok(config.sources?.includes(path), `${path} is not one of the sources: ${config.sources?.join(', ')}`);
          if (json) {
            const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
            ok(
              typeof kept === 'object' && kept !== null && 'contractUnmentioned' in kept,
              'the previous content of the file is lost',
            );
            deepStrictEqual(kept.contractUnmentioned, other.contractUnmentioned);
          }
        }),
      );
    }
  });
}

function isEmpty(config: AgentConfig): void {
  deepStrictEqual([config.model, config.sources ?? [], config.values ?? {}], [undefined, [], {}]);
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function exampleOf({ type, values }: ConfigField): unknown {
  if (values?.[0] !== undefined) return values[0];
  return { string: 'contract', number: 3, boolean: true, array: ['contract'], object: { contract: true } }[type];
}

function pick(values: Record<string, unknown> | undefined, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, values?.[name]]));
}
