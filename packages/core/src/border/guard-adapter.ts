import { listStoredSessions, readConfigFiles, readStoredSession, writeConfigFiles } from '../adapter/defaults.ts';
import type { AgentAdapter, DetectInstallationResult, InstallResult, SpawnArgs } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { InstalledPlugin, PluginListing } from '../contract/plugins.ts';
import type { AgentConfig, AuthSetupGuidance, AuthState } from '../contract/surroundings.ts';
import { isRecord } from '../values.ts';
import { isThenable, nameOf } from './event-shape.ts';
import {
  adapterError,
  callForEvents,
  callLater,
  callNow,
  checkEvent,
  checkEvents,
  type Member,
  messageOf,
  parseFault,
} from './guard-call.ts';
import { guardHooks } from './guard-hooks.ts';
import {
  expect,
  guardModelQuery,
  guardPlugins,
  guardQuotaQuery,
  guardStore,
  isIdList,
  isSession,
  isText,
  READ_LIMIT_MS,
} from './guard-surroundings.ts';
import { guardTerminal } from './guard-terminal.ts';
import { findSpawnFault } from './spawn-shape.ts';

/** So long may a look at this machine take: a login, an installation. */
const LOOK_LIMIT_MS = 10_000;
/** What a person asked for and watches (installing, changing a file) may take as long as it takes. */
const NO_LIMIT = 0;

/**
 * The border between adapters and all the rest: an adapter that keeps the contract, whatever the given one throws or
 * returns. Its data is read once. Decoders and hooks tell their faults as events; where the contract names an answer for
 * a failure, that is the answer; everything else that fails throws an AgentMuxError. What runs within a live
 * conversation is guarded where the conversation is opened (guard-live.ts). A loop that never ends cannot be guarded
 * against in the same process: agents that nobody knows belong behind the external protocol.
 */
export function guardAdapter(adapter: AgentAdapter): AgentAdapter {
  const { agent, sessionStore, modelQuery, quotaQuery, plugins, hooks: hookFacet } = adapter;
  const member = (name: string): Member => ({ agent, name });
  const later = (name: string, call: () => unknown, limitMs = READ_LIMIT_MS) => callLater(member(name), limitMs, call);
  const parseMember = member('parseEvent');

  const data = {
    agent,
    displayName: adapter.displayName,
    cliCommand: adapter.cliCommand,
    minVersion: adapter.minVersion,
    provenVersions: adapter.provenVersions,
    documentedBy: adapter.documentedBy,
    capabilities: adapter.capabilities,
    modes: adapter.modes,
    toolKinds: adapter.toolKinds,
    models: adapter.models,
    defaultModelId: adapter.defaultModelId,
    configSchema: adapter.configSchema,
    installMethods: adapter.installMethods,
    envAllowList: adapter.envAllowList,
    hostEnvSignals: adapter.hostEnvSignals,
    needsNoInstall: adapter.needsNoInstall,
    versionArgs: adapter.versionArgs,
    sessionStore: sessionStore && guardStore(agent, sessionStore),
    modelQuery: modelQuery && guardModelQuery(agent, modelQuery),
    quotaQuery: quotaQuery && guardQuotaQuery(agent, quotaQuery),
    plugins: plugins && guardPlugins(agent, plugins),
    terminal: adapter.terminal && guardTerminal(agent, adapter.terminal),
    hooks: hookFacet && guardHooks(agent, hookFacet),
    extensionFolders: adapter.extensionFolders,
  };

  const launching: Pick<Members, 'initialize' | 'fillOptions' | 'buildSpawnArgs' | 'beforeSpawn'> = {
    initialize:
      adapter.initialize &&
      (async (context) => {
        await later('initialize', () => adapter.initialize?.(context), LOOK_LIMIT_MS);
      }),
    fillOptions:
      adapter.fillOptions &&
      ((options) => {
        const filled = callNow(member('fillOptions'), () => adapter.fillOptions?.(options));
        return expect(member('fillOptions'), filled, 'the options of this run', isOptionsOf(options));
      }),
    buildSpawnArgs: (options, env) => {
      const built = callNow(member('buildSpawnArgs'), () => adapter.buildSpawnArgs(options, env));
      const problem = findSpawnFault(built);
      if (problem !== undefined) throw adapterError(member('buildSpawnArgs'), `returned ${problem}`);
      return built as SpawnArgs;
    },
    beforeSpawn:
      adapter.beforeSpawn &&
      (async (options, env, files) => {
        await later('beforeSpawn', () => adapter.beforeSpawn?.(options, env, files));
      }),
  };

  const decoding: Pick<Members, 'parseEvent' | 'parseEnd'> = {
    // Once for every line: no closure, and no list around the one event that most of them are.
    parseEvent: (line, context) => {
      let returned: unknown;
      try {
        returned = adapter.parseEvent(line, context);
      } catch (error) {
        return parseFault(parseMember, `threw: ${messageOf(error)}`);
      }
      if (returned === null) return null;
      return Array.isArray(returned)
        ? checkEvents(parseMember, returned, parseFault)
        : checkEvent(parseMember, returned, parseFault);
    },
    parseEnd:
      adapter.parseEnd &&
      ((context, exit) => callForEvents(member('parseEnd'), () => adapter.parseEnd?.(context, exit), parseFault)),
  };

  const hooks: Pick<Members, 'onSpawnError' | 'onTimeout' | 'onProcessExit' | 'shouldRetry'> = {
    onSpawnError:
      adapter.onSpawnError && ((error) => callForOneEvent(member('onSpawnError'), () => adapter.onSpawnError?.(error))),
    onTimeout: adapter.onTimeout && ((kind) => callForOneEvent(member('onTimeout'), () => adapter.onTimeout?.(kind))),
    onProcessExit:
      adapter.onProcessExit &&
      ((code, signal) =>
        callForEvents(member('onProcessExit'), () => {
          const returned: unknown = adapter.onProcessExit?.(code, signal);
          if (Array.isArray(returned) || isThenable(returned)) return returned;
          throw new TypeError(`${nameOf(returned)} is no list of events`);
        })),
    shouldRetry:
      adapter.shouldRetry &&
      ((event, attempt, policy) => {
        const wanted = callNow(member('shouldRetry'), () => adapter.shouldRetry?.(event, attempt, policy));
        return expect(member('shouldRetry'), wanted, 'true or false', (value) => typeof value === 'boolean');
      }),
  };

  const login: Pick<Members, 'detectAuth' | 'getAuthGuidance'> = {
    detectAuth: async (env) => {
      try {
        const state = await later('detectAuth', () => adapter.detectAuth(env), LOOK_LIMIT_MS);
        return expect(member('detectAuth'), state, 'the state of a login', isAuthState);
      } catch (error) {
        return { status: 'unknown', details: messageOf(error) };
      }
    },
    getAuthGuidance: () => {
      try {
        const guidance = callNow(member('getAuthGuidance'), () => adapter.getAuthGuidance());
        return isGuidance(guidance)
          ? { ...guidance, methods: guidance.methods ?? [] }
          : { agent, steps: [], methods: [] };
      } catch {
        return { agent, steps: [], methods: [] };
      }
    },
  };

  const stored: Pick<Members, 'sessionDir' | 'parseSessionFile' | 'listSessionFiles' | 'readConfig' | 'writeConfig'> = {
    sessionDir: (cwd) =>
      expect(
        member('sessionDir'),
        callNow(member('sessionDir'), () => adapter.sessionDir(cwd)),
        'a path',
        isText,
      ),
    // The inherited ones are known by what they are: they find and read nothing of their own.
    parseSessionFile:
      adapter.parseSessionFile === readStoredSession
        ? adapter.parseSessionFile
        : async (path) =>
            expect(
              member('parseSessionFile'),
              await later('parseSessionFile', () => adapter.parseSessionFile(path)),
              'a session',
              isSession,
            ),
    listSessionFiles:
      adapter.listSessionFiles === listStoredSessions
        ? adapter.listSessionFiles
        : async (cwd) => {
            const paths = await later('listSessionFiles', () => adapter.listSessionFiles(cwd)).catch(() => undefined);
            return Array.isArray(paths) ? paths.filter(isText) : [];
          },
    readConfig:
      adapter.readConfig === readConfigFiles
        ? adapter.readConfig
        : async (cwd, env) => {
            const config = await later('readConfig', () => adapter.readConfig(cwd, env));
            return expect(member('readConfig'), config, 'an object', (value): value is AgentConfig => isRecord(value));
          },
    writeConfig:
      adapter.writeConfig === writeConfigFiles
        ? adapter.writeConfig
        : async (config, cwd) => {
            await later('writeConfig', () => adapter.writeConfig(config, cwd), NO_LIMIT);
          },
  };

  const extending: Pick<Members, 'listPlugins' | 'installPlugin' | 'uninstallPlugin' | 'searchPlugins'> = {
    listPlugins:
      adapter.listPlugins &&
      (async () => {
        const found = await later('listPlugins', () => adapter.listPlugins?.());
        return expect(member('listPlugins'), found, 'a list with ids', isIdList<InstalledPlugin>);
      }),
    installPlugin:
      adapter.installPlugin &&
      (async (id, options) => {
        const plugin = await later('installPlugin', () => adapter.installPlugin?.(id, options), NO_LIMIT);
        return expect(member('installPlugin'), plugin, 'a plugin', isPlugin);
      }),
    uninstallPlugin:
      adapter.uninstallPlugin &&
      (async (id) => {
        await later('uninstallPlugin', () => adapter.uninstallPlugin?.(id), NO_LIMIT);
      }),
    searchPlugins:
      adapter.searchPlugins &&
      (async (query, options) => {
        const found = await later('searchPlugins', () => adapter.searchPlugins?.(query, options));
        return expect(member('searchPlugins'), found, 'a list with ids', isIdList<PluginListing>);
      }),
  };

  const installing: Pick<Members, 'detectInstallation' | 'install' | 'update'> = {
    detectInstallation:
      adapter.detectInstallation &&
      (async (env) => {
        const found = await later('detectInstallation', () => adapter.detectInstallation?.(env), LOOK_LIMIT_MS);
        return expect(member('detectInstallation'), found, 'whether it is installed', isInstallation);
      }),
    install:
      adapter.install &&
      (async (options) => {
        const result = await later('install', () => adapter.install?.(options), NO_LIMIT);
        return expect(member('install'), result, 'a result', isInstallResult);
      }),
    update:
      adapter.update &&
      (async (options) => {
        const result = await later('update', () => adapter.update?.(options), NO_LIMIT);
        return expect(member('update'), result, 'a result', isInstallResult);
      }),
  };

  const guarded: Members = {
    ...data,
    ...launching,
    ...decoding,
    ...hooks,
    ...login,
    ...stored,
    ...extending,
    ...installing,
  };
  return guarded;
}

/** All members by name, so that one that is added to the contract and not guarded here does not compile. */
type Members = { [Name in keyof Required<AgentAdapter>]: AgentAdapter[Name] };

function callForOneEvent(member: Member, call: () => unknown): EventBody {
  const [event] = callForEvents(member, () => {
    const returned = call();
    if (!Array.isArray(returned)) return returned;
    throw new TypeError(`${nameOf(returned)} is not one event`);
  });
  return event!;
}

/** An adapter may fill in what was left open; which run it is for is not its business. */
function isOptionsOf(options: ResolvedRunOptions): (value: unknown) => value is ResolvedRunOptions {
  return (value): value is ResolvedRunOptions =>
    isRecord(value) &&
    value.agent === options.agent &&
    value.runId === options.runId &&
    value.scratchDir === options.scratchDir &&
    isText(value.mode) &&
    isText(value.cwd) &&
    typeof value.prompt === 'string' &&
    isRecord(value.invocation) &&
    isRecord(value.retryPolicy);
}

function isAuthState(value: unknown): value is AuthState {
  return isRecord(value) && isText(value.status) && Object.hasOwn(AUTH_STATES, value.status);
}

const AUTH_STATES: Record<AuthState['status'], true> = {
  authenticated: true,
  unauthenticated: true,
  expired: true,
  unknown: true,
};

function isGuidance(value: unknown): value is AuthSetupGuidance {
  return (
    isRecord(value) &&
    Array.isArray(value.steps) &&
    value.steps.every((step) => typeof step === 'string') &&
    (value.methods === undefined || (Array.isArray(value.methods) && value.methods.every(isRecord)))
  );
}

function isPlugin(value: unknown): value is InstalledPlugin {
  return isRecord(value) && isText(value.id);
}

function isInstallation(value: unknown): value is DetectInstallationResult {
  return (
    isRecord(value) &&
    typeof value.installed === 'boolean' &&
    [value.version, value.path, value.notes].every((each) => each === undefined || typeof each === 'string')
  );
}

function isInstallResult(value: unknown): value is InstallResult {
  return isRecord(value) && typeof value.ok === 'boolean' && isText(value.method) && typeof value.command === 'string';
}
