import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import {
  type AgentConfig,
  AgentMuxError,
  type AuthSetupGuidance,
  type AuthState,
  buildChildEnv,
  type ConfigField,
  expandPath,
} from '@agent-mux/core';
import { z } from 'zod';
import { aboutTopic, type ContractCheck } from './check.ts';
import { inPlace } from './place.ts';
import type { Subject } from './subject.ts';

/** Looking at files of this machine takes no longer, however busy it is. */
const QUICK_MS = 5_000;
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

/** What lies around the agent on a machine that has never seen it. */
export function surroundingChecks(subject: Subject): ContractCheck[] {
  return [...loginChecks(subject), ...sessionChecks(subject), ...configChecks(subject)];
}

function loginChecks({ adapter }: Subject): ContractCheck[] {
  const envMethods = adapter.getAuthGuidance().methods.filter(({ envVars }) => (envVars?.length ?? 0) > 0);
  return aboutTopic('its login', (show) => {
    show('is looked for quickly and without a fault, where nobody ever logged in', () =>
      inPlace(async ({ env }) => {
        const began = performance.now();
        AuthStateSchema.parse(await adapter.detectAuth(env));
        AuthStateSchema.parse(await adapter.detectAuth());
        ok(performance.now() - began < QUICK_MS, 'it took too long');
      }),
    );
    show('is looked for without a fault where the home folder cannot be read', () =>
      inPlace(async ({ env, notes }) => {
        AuthStateSchema.parse(await adapter.detectAuth({ ...env, HOME: notes, USERPROFILE: notes }));
      }),
    );
    show('is explained by steps and methods', () => {
      const guidance = GuidanceSchema.parse(adapter.getAuthGuidance());
      strictEqual(guidance.agent, adapter.agent);
    });
    for (const { name, envVars = [] } of envMethods) {
      const given = Object.fromEntries(envVars.map((variable) => [variable, SECRET]));
      show(`is seen with the variables of "${name}", and their values are not repeated`, () =>
        inPlace(async ({ env }) => {
          const state = await adapter.detectAuth({ ...env, ...given });
          strictEqual(state.status, 'authenticated', `with ${envVars.join(', ')} set`);
          ok(!JSON.stringify(state).includes(SECRET), 'the state holds the secret');
        }),
      );
      show(`reaches the agent with the variables of "${name}"`, () => {
        const child = buildChildEnv({ hostEnv: given, envAllowList: adapter.envAllowList });
        deepStrictEqual(child, given, 'envAllowList does not let them pass');
      });
    }
  });
}

function sessionChecks({ adapter }: Subject): ContractCheck[] {
  return aboutTopic('its stored sessions', (show) => {
    show('are in a folder that is known, or said to be unknown', () =>
      inPlace(({ cwd }) => {
        try {
          for (const dir of [adapter.sessionDir(), adapter.sessionDir(cwd)])
            ok(isAbsolute(dir), `${dir} is not absolute`);
        } catch (error) {
          ok(error instanceof AgentMuxError, `sessionDir failed with ${error}`);
        }
      }),
    );
    show('are none where the folder is missing', () =>
      inPlace(async ({ cwd }) => {
        deepStrictEqual(await adapter.listSessionFiles(), []);
        deepStrictEqual(await adapter.listSessionFiles(cwd), []);
      }),
    );
    show('are not made up from a file that is missing, or is none', () =>
      inPlace(async ({ root }) => {
        await rejects(async () => adapter.parseSessionFile(join(root, 'no-such-session.jsonl')), Error);
        const path = join(root, 'garbage.jsonl');
        writeFileSync(path, '\0 this is no session\n{"half":');
        await rejects(async () => adapter.parseSessionFile(path), Error, 'garbage was taken for a session');
      }),
    );
  });
}

function configChecks({ adapter }: Subject): ContractCheck[] {
  const { configSchema } = adapter;
  const user = configSchema.configFilePaths[0];
  const project = configSchema.projectConfigFilePaths[0];
  const json = (configSchema.format ?? 'json').startsWith('json');
  return aboutTopic('its native configuration', (show) => {
    show('is empty where there is none', () =>
      inPlace(async ({ cwd, env }) => {
        for (const config of [await adapter.readConfig(cwd, env), await adapter.readConfig(cwd)]) isEmpty(config);
      }),
    );
    if (user !== undefined) {
      show('is not taken for empty when it cannot be read', () =>
        inPlace(async ({ cwd, env }) => {
          put(expandPath(user, env, cwd), '\0[[[ "broken');
          await rejects(async () => adapter.readConfig(cwd, env), Error, 'a broken file was read');
        }),
      );
    }
    for (const [whose, written] of [
      ['the user', user],
      ['the project', project],
    ] as const) {
      const fields = configSchema.fields.filter((field) => field.secret !== true).slice(0, 2);
      if (written === undefined || fields.length === 0) continue;
      show(`of ${whose} is written so that all else in it stays`, () =>
        inPlace(async ({ cwd, env }) => {
          const path = expandPath(written, env, cwd);
          const other = { contractUnmentioned: { kept: [1, 2] } };
          if (json) put(path, JSON.stringify(other));
          const values: Record<string, unknown> = {};
          for (const field of fields) {
            values[field.name] = exampleOf(field);
            await adapter.writeConfig(
              { values: { [field.name]: values[field.name] } },
              whose === 'the project' ? cwd : undefined,
            );
          }
          const config = await adapter.readConfig(cwd, env);
          deepStrictEqual(pick(config.values, Object.keys(values)), values);
          ok(config.sources?.includes(path), `${path} is not one of the sources: ${config.sources?.join(', ')}`);
          if (json) {
            const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
            ok(
              typeof kept === 'object' && kept !== null && 'contractUnmentioned' in kept,
              'what stood in the file is gone',
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
