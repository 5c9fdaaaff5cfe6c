import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import {
  type DetectInstallationResult,
  type HostFiles,
  hostFiles,
  type InstallResult,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { z } from 'zod';
import { assertRecord, awaitWithin, describeValue } from '../assert-returned.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { reachesOfPromised } from '../pure-work.ts';
import { contentsOf, inSandbox } from '../sandbox.ts';
import { optionsFor, type Subject } from '../subject.ts';
import { allOptions } from './check-launch.ts';

const DetectionSchema = z.strictObject({
  installed: z.boolean(),
  version: z.string().optional(),
  path: z.string().optional(),
  notes: z.string().optional(),
}) satisfies z.ZodType<DetectInstallationResult>;
const InstallSchema = z.strictObject({
  ok: z.boolean(),
  method: z.string(),
  command: z.string(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  installedVersion: z.string().optional(),
  message: z.string().optional(),
}) satisfies z.ZodType<InstallResult>;

/** Options that a definition may never set for the caller. */
const KEPT = ['agent', 'prompt', 'runId', 'mode', 'scratchDir', 'approvalModeGiven'] as const;

/** Finds a file everywhere, so that everything that would be done with one is done. */
const EVERY_FOLDER_HAS_ONE: HostFiles = {
  list: async () => ['contract-file'],
  firstLine: async () => '{}',
  rename: async () => {},
};

/** What happens before an agent is started, or installed. */
export function preparationChecks(subject: Subject): ContractCheck[] {
  const { adapter, fixtures } = subject;
  const limit = fixtures.settleMs;
  const filling = subject.modes.flatMap((mode) =>
    aboutTopic(`the options in mode "${mode.name}"`, (show) => {
      show('get defaults where they are unset, and stay unchanged where they are set', () =>
        inSandbox((place) => {
          if (!adapter.applyDefaults) return;
          for (const { name, resolved } of allOptions(subject, mode, place)) keepsGiven(subject, name, resolved);
        }),
      );
      if (!adapter.beforeSpawn) return;
      show('are prepared within a moment before the process is started', () =>
        inSandbox(async (place) => {
          const options = optionsFor(subject, mode, place);
          const given = await awaitWithin(
            'beforeSpawn',
            () => adapter.beforeSpawn?.(options, place.env, hostFiles),
            limit,
          );
          strictEqual(given, undefined, `beforeSpawn returns nothing, and gave ${describeValue(given)}`);
        }),
      );
      show('are prepared only with the given files and variables', () =>
        inSandbox(async (place) => {
          for (const { name, resolved } of allOptions(subject, mode, place)) {
            const reaches = await reachesOfPromised(async () =>
              adapter.beforeSpawn?.(resolved, place.env, EVERY_FOLDER_HAS_ONE),
            );
            deepStrictEqual(reaches, [], `${name}: beforeSpawn reads and moves files by what it is handed alone`);
          }
        }),
      );
    }),
  );
  const installing = aboutTopic('its installation', (show) => {
    if (adapter.detectInstallation) {
      show('is detected without an error if the agent is missing', () =>
        inSandbox(async () => {
          const found = await awaitWithin('detectInstallation', () => adapter.detectInstallation?.(), limit);
          parse(DetectionSchema, found, 'detectInstallation');
        }),
      );
    }
    for (const member of ['install', 'update'] as const) {
      if (!adapter[member]) continue;
      show(`is only described by ${member} in a dry run`, () =>
        inSandbox(async (place) => {
          const before = contentsOf(place);
          const result = await awaitWithin(member, () => adapter[member]?.({ dryRun: true }), limit);
          parse(InstallSchema, result, member);
          deepStrictEqual(contentsOf(place), before, `${member} with dryRun has changed files`);
        }),
      );
    }
  });
  return [...filling, ...installing];
}

function keepsGiven({ adapter }: Subject, name: string, resolved: ResolvedRunOptions): void {
  const given = deepFreeze({ ...resolved, approvalModeGiven: true, modeGiven: true, cwdGiven: true });
  const filled = adapter.applyDefaults?.(given);
  assertRecord(filled, 'applyDefaults');
  for (const key of Object.keys(given)) ok(key in filled, `${name}: applyDefaults has lost ${key}`);
  for (const key of KEPT) strictEqual(filled[key], given[key], `${name}: applyDefaults has changed ${key}`);
  strictEqual(filled.approvalMode, given.approvalMode, `${name}: the caller chose another approvalMode`);
  strictEqual(
    filled.nativePermissionMode,
    given.nativePermissionMode,
    `${name}: the caller chose an approvalMode, and a native one would go before it`,
  );
  for (const key of ['model', 'sessionId', 'thinkingEffort', 'systemPrompt'] as const) {
    if (given[key] !== undefined) strictEqual(filled[key], given[key], `${name}: applyDefaults has changed ${key}`);
  }
  for (const tool of given.deniedTools ?? []) {
    ok(filled.deniedTools?.includes(tool), `${name}: ${tool} is no longer denied`);
  }
}

export function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  ok(parsed.success, `${what}: ${parsed.error && z.prettifyError(parsed.error)}\nin ${describeValue(value)}`);
  return parsed.data;
}
