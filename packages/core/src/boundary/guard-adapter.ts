import { listStoredSessions, readConfigFiles, readStoredSession, writeConfigFiles } from '../adapter/defaults.ts';
import type { AgentAdapter, DetectInstallationResult, InstallResult, SpawnArgs } from '../contract/adapter.ts';
import type { AgentConfig, AuthSetupGuidance, AuthState } from '../contract/auth-and-config.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { InstalledPlugin, PluginListing } from '../contract/plugins.ts';
import { isRecord } from '../values.ts';
import { isThenable, nameOf } from './event-shape.ts';
import {
  type AdapterMethod,
  adapterError,
  callForEvents,
  callLater,
  callNow,
  checkEvent,
  checkEvents,
  messageOf,
  parseErrorEvent,
} from './guard-call.ts';
import { guardHooks } from './guard-hooks.ts';
import {
  assertShape,
  guardModelQuery,
  guardPlugins,
  guardQuotaQuery,
  guardStore,
  isIdList,
  isSession,
  isText,
  READ_LIMIT_MS,
} from './guard-queries.ts';
import { guardTerminal } from './guard-terminal.ts';
import { findSpawnIssue } from './spawn-shape.ts';

/** Time limit of local checks: login, installation. */
const LOOK_LIMIT_MS = 10_000;
/** No time limit for operations the user started and watches (installing, changing a file). */
const NOT_LIMITED = 0;

/**
 * Boundary between adapters and the engine: wraps an adapter so that it satisfies the contract, whatever the original
 * throws or returns. Its data is read once. Decoders and hooks report errors as events; if the contract defines a
 * result for a failure, that is returned; every other failure throws an AgentMuxError. Live conversations are guarded
 * when they are opened (guard-live.ts). An endless loop cannot be guarded against in the same process: run untrusted
 * agents through the external protocol.
 */
export function guardAdapter(adapter: AgentAdapter): AgentAdapter {
  const { agent, sessionStore, modelQuery, quotaQuery, plugins, hooks: hookSpec } = adapter;
  const member = (name: string): AdapterMethod => ({ agent, name });
  const later = (name: string, call: () => unknown, limitMs = READ_LIMIT_MS) => callLater(member(name), limitMs, call);
  const parseMember = member('parseEvent');

  const data = {
    agent,
    displayName: adapter.displayName,
    cliCommand: adapter.cliCommand,
    minVersion: adapter.minVersion,
    verifiedVersions: adapter.verifiedVersions,
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
    hooks: hookSpec && guardHooks(agent, hookSpec),
    extensionFolders: adapter.extensionFolders,
  };

  const launching: Pick<Members, 'initialize' | 'applyDefaults' | 'buildSpawnArgs' | 'beforeSpawn'> = {
    initialize:
      adapter.initialize &&
      (async (context) => {
        await later('initialize', () => adapter.initialize?.(context), LOOK_LIMIT_MS);
      }),
    applyDefaults:
      adapter.applyDefaults &&
      ((options) => {
        const filled = callNow(member('applyDefaults'), () => adapter.applyDefaults?.(options));
        return assertShape(member('applyDefaults'), filled, 'the options of this run', isOptionsOf(options));
      }),
    buildSpawnArgs: (options, env) => {
      const built = callNow(member('buildSpawnArgs'), () => adapter.buildSpawnArgs(options, env));
      const problem = findSpawnIssue(built);
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
    // Called for every line: no closure, and no array for the single event that most lines produce.
    parseEvent: (line, context) => {
      let returned: unknown;
      try {
        returned = adapter.parseEvent(line, context);
      } catch (error) {
        return parseErrorEvent(parseMember, `threw: ${messageOf(error)}`);
      }
      if (returned === null) return null;
      return Array.isArray(returned)
        ? checkEvents(parseMember, returned, parseErrorEvent)
        : checkEvent(parseMember, returned, parseErrorEvent);
    },
    parseEnd:
      adapter.parseEnd &&
      ((context, exit) => callForEvents(member('parseEnd'), () => adapter.parseEnd?.(context, exit), parseErrorEvent)),
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
          throw new TypeError(`${nameOf(returned)} is not a list of events`);
        })),
    shouldRetry:
      adapter.shouldRetry &&
      ((event, attempt, policy) => {
        const wanted = callNow(member('shouldRetry'), () => adapter.shouldRetry?.(event, attempt, policy));
        return assertShape(member('shouldRetry'), wanted, 'true or false', (value) => typeof value === 'boolean');
      }),
  };

  const login: Pick<Members, 'detectAuth' | 'getAuthGuidance'> = {
    detectAuth: async (env) => {
      try {
        const state = await later('detectAuth', () => adapter.detectAuth(env), LOOK_LIMIT_MS);
        return assertShape(member('detectAuth'), state, 'the state of a login', isAuthState);
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
      assertShape(
        member('sessionDir'),
        callNow(member('sessionDir'), () => adapter.sessionDir(cwd)),
        'a path',
        isText,
      ),
    // Inherited implementations are detected by identity: they find and read nothing.
    parseSessionFile:
      adapter.parseSessionFile === readStoredSession
        ? adapter.parseSessionFile
        : async (path) =>
            assertShape(
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
            return assertShape(member('readConfig'), config, 'an object', (value): value is AgentConfig =>
              isRecord(value),
            );
          },
    writeConfig:
      adapter.writeConfig === writeConfigFiles
        ? adapter.writeConfig
        : async (config, cwd) => {
            await later('writeConfig', () => adapter.writeConfig(config, cwd), NOT_LIMITED);
          },
  };

  const extending: Pick<Members, 'listPlugins' | 'installPlugin' | 'uninstallPlugin' | 'searchPlugins'> = {
    listPlugins:
      adapter.listPlugins &&
      (async () => {
        const found = await later('listPlugins', () => adapter.listPlugins?.());
        return assertShape(member('listPlugins'), found, 'a list with ids', isIdList<InstalledPlugin>);
      }),
    installPlugin:
      adapter.installPlugin &&
      (async (id, options) => {
        const plugin = await later('installPlugin', () => adapter.installPlugin?.(id, options), NOT_LIMITED);
        return assertShape(member('installPlugin'), plugin, 'a plugin', isPlugin);
      }),
    uninstallPlugin:
      adapter.uninstallPlugin &&
      (async (id) => {
        await later('uninstallPlugin', () => adapter.uninstallPlugin?.(id), NOT_LIMITED);
      }),
    searchPlugins:
      adapter.searchPlugins &&
      (async (query, options) => {
        const found = await later('searchPlugins', () => adapter.searchPlugins?.(query, options));
        return assertShape(member('searchPlugins'), found, 'a list with ids', isIdList<PluginListing>);
      }),
  };

  const installing: Pick<Members, 'detectInstallation' | 'install' | 'update'> = {
    detectInstallation:
      adapter.detectInstallation &&
      (async (env) => {
        const found = await later('detectInstallation', () => adapter.detectInstallation?.(env), LOOK_LIMIT_MS);
        return assertShape(member('detectInstallation'), found, 'whether it is installed', isInstallation);
      }),
    install:
      adapter.install &&
      (async (options) => {
        const result = await later('install', () => adapter.install?.(options), NOT_LIMITED);
        return assertShape(member('install'), result, 'a result', isInstallResult);
      }),
    update:
      adapter.update &&
      (async (options) => {
        const result = await later('update', () => adapter.update?.(options), NOT_LIMITED);
        return assertShape(member('update'), result, 'a result', isInstallResult);
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

/** All members by name, so that an unguarded new member of the contract does not compile. */
type Members = { [Name in keyof Required<AgentAdapter>]: AgentAdapter[Name] };

function callForOneEvent(member: AdapterMethod, call: () => unknown): EventBody {
  const [event] = callForEvents(member, () => {
    const returned = call();
    if (!Array.isArray(returned)) return returned;
    throw new TypeError(`${nameOf(returned)} is not an event`);
  });
  return event!;
}

/** An adapter may fill in options, but not change the identity of the run. */
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
