import { deepStrictEqual, ok } from 'node:assert/strict';
import { isAbsolute } from 'node:path';
import {
  type AgentCommand,
  type AgentQuery,
  CapabilityError,
  type CommandOutput,
  expandPath,
  type InstalledPlugin,
  type ModelCapabilities,
  PLUGIN_FORMATS,
  type PluginListing,
} from '@agent-mux/core';
import { z } from 'zod';
import { assertAtOnce, assertRecord, awaitWithin, describeValue } from '../assert-returned.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { contentsOf, inSandbox } from '../sandbox.ts';
import type { Subject } from '../subject.ts';
import { parse } from './check-preparations.ts';

const PluginSchema = z.strictObject({
  id: z.string().min(1),
  version: z.string().optional(),
  enabled: z.boolean(),
  format: z.string().min(1),
  source: z.string().optional(),
}) satisfies z.ZodType<InstalledPlugin>;
const ListingSchema = z.strictObject({
  id: z.string().min(1),
  version: z.string().optional(),
  description: z.string().optional(),
  registry: z.string().optional(),
}) satisfies z.ZodType<PluginListing>;
const price = z.number().nonnegative();
const ModelSchema = z.strictObject({
  id: z.string().min(1),
  displayName: z.string().optional(),
  aliases: z.array(z.string()).readonly().optional(),
  contextWindow: z.number().positive().nullable(),
  maxOutputTokens: z.number().positive().nullable(),
  supportsThinking: z.boolean(),
  supportsImageInput: z.boolean(),
  pricing: z
    .strictObject({ input: price, output: price, cacheRead: price.optional(), cacheCreation: price.optional() })
    .optional(),
}) satisfies z.ZodType<ModelCapabilities>;
const CommandSchema = z.object({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).readonly(),
  stdin: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
}) satisfies z.ZodType<AgentCommand>;

/** Output of a CLI on success, of another version, and on failure. */
const OUTPUTS: readonly string[] = [
  '',
  '\0',
  'no such command',
  '{}',
  '[]',
  '[null]',
  'null',
  '{"half":',
  '[{"id":7}]',
  '"x"',
];
const PLUGIN = 'contract-plugin';

/** Queries to the agent's own CLI: plugins and models. */
export function extensionChecks({ adapter, fixtures }: Subject): ContractCheck[] {
  const { plugins, modelQuery, extensionFolders } = adapter;
  const limit = fixtures.settleMs;
  return aboutTopic('its extensions', (show) => {
    show('has models with a name, sizes and prices, or none', () => {
      parse(z.array(ModelSchema), adapter.models, 'models');
    });
    if (modelQuery) {
      show('lists its models by a command, and invents none from unknown output', () =>
        readsOrRefuses(modelQuery, ModelSchema, 'modelQuery'),
      );
    }
    if (plugins) {
      show('lists its plugins by a command, and invents none from unknown output', () => {
        parse(z.array(z.enum(PLUGIN_FORMATS)).min(1), plugins.formats, 'plugins.formats');
        readsOrRefuses(plugins.list, PluginSchema, 'plugins.list');
        const { search } = plugins;
        if (!search) return;
        readsOrRefuses(search.call(plugins, 'contract-query', {}), ListingSchema, 'plugins.search');
      });
      show('has the name of a plugin in its commands', () => {
        names('plugins.install', () => plugins.install(PLUGIN, {}), PLUGIN);
        names('plugins.uninstall', () => plugins.uninstall(PLUGIN, {}), PLUGIN);
      });
    }
    if (adapter.listPlugins) {
      show('lists and searches plugins without changes if there are none', () =>
        inSandbox(async (place) => {
          const before = contentsOf(place);
          const installed = await awaitWithin('listPlugins', () => adapter.listPlugins?.(), limit);
          parse(z.array(PluginSchema), installed, 'listPlugins');
          const found = await awaitWithin(
            'searchPlugins',
            () => adapter.searchPlugins?.('contract-query') ?? [],
            limit,
          );
          parse(z.array(ListingSchema), found, 'searchPlugins');
          deepStrictEqual(contentsOf(place), before, 'looking for plugins has changed files');
        }),
      );
    }
    for (const [kind, folders] of Object.entries(extensionFolders ?? {})) {
      show(`keeps ${kind} of the user and of the project in separate folders`, () =>
        inSandbox(({ env, cwd }) => {
          assertRecord(folders, `extensionFolders.${kind}`);
          const paths = Object.values(folders).map((folder) => expandPath(String(folder), env, cwd));
          for (const path of paths) ok(isAbsolute(path), `extensionFolders.${kind}: ${path} is not absolute`);
          deepStrictEqual([...new Set(paths)], paths, `extensionFolders.${kind}: one folder for both`);
        }),
      );
    }
  });
}

/** `parse` throws on unknown output; anything it returns is a list of the right kind. */
function readsOrRefuses<T>(query: AgentQuery<T[]>, entry: z.ZodType<T>, what: string): void {
  parse(CommandSchema, query, what);
  for (const stdout of OUTPUTS) {
    for (const exitCode of [0, 1]) {
      const output: CommandOutput = { stdout, stderr: '', exitCode };
      let answer: unknown;
      try {
        answer = query.parse(output);
      } catch (error) {
        ok(error instanceof Error, `${what}.parse threw ${describeValue(error)}, which is not an Error`);
        continue;
      }
      assertAtOnce(answer, `${what}.parse`);
      parse(z.array(entry), answer, `${what}.parse, for ${JSON.stringify(output)}`);
    }
  }
}

function names(what: string, call: () => AgentCommand | undefined, name: string): void {
  let command: AgentCommand | undefined;
  try {
    command = call();
  } catch (error) {
    if (error instanceof CapabilityError) return;
    throw error;
  }
  assertAtOnce(command, what);
  const { args, stdin = '' } = parse(CommandSchema, command, what);
  ok(
    [...args, stdin].some((arg) => arg.includes(name)),
    `${what}: "${name}" is not in ${describeValue(args)}`,
  );
}
