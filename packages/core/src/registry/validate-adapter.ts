import { isDeepStrictEqual } from 'node:util';
import { parseVersion } from '../binaries/version.ts';
import { type AgentAdapter, ONESHOT_DELIVERIES } from '../contract/adapter.ts';
import { type Fault, ValidationError } from '../contract/errors.ts';
import { LIMITATIONS } from '../contract/limitations.ts';
import { isToolKind, TOOL_KINDS } from '../contract/tool-kinds.ts';
import { isRecord } from '../values.ts';
import { findCapabilityFaults } from './validate-capabilities.ts';
import { findAgentNameFault, findAllowListFault, findHostSignalFault } from './validate-names.ts';

const REQUIRED_TEXTS = ['agent', 'displayName', 'cliCommand'] as const satisfies readonly (keyof AgentAdapter)[];
const REQUIRED_METHODS = [
  'buildSpawnArgs',
  'parseEvent',
  'detectAuth',
  'getAuthGuidance',
  'sessionDir',
  'parseSessionFile',
  'listSessionFiles',
  'readConfig',
  'writeConfig',
] as const satisfies readonly (keyof AgentAdapter)[];
const PLUGIN_METHODS = [
  'listPlugins',
  'installPlugin',
  'uninstallPlugin',
  'searchPlugins',
] as const satisfies readonly (keyof AgentAdapter)[];
const OPTIONAL_METHODS = [
  'initialize',
  'fillOptions',
  'beforeSpawn',
  'parseEnd',
  'onSpawnError',
  'onTimeout',
  'onProcessExit',
  'shouldRetry',
  'detectInstallation',
  'install',
  'update',
  ...PLUGIN_METHODS,
] as const satisfies readonly (keyof AgentAdapter)[];
const OPTIONAL_LISTS = [
  'provenVersions',
  'documentedBy',
  'envAllowList',
  'hostEnvSignals',
  'versionArgs',
] as const satisfies readonly (keyof AgentAdapter)[];
/** What an entry of such a list must keep to. */
const LIST_RULES: Readonly<Record<string, (entry: string) => string | undefined>> = {
  envAllowList: findAllowListFault,
  hostEnvSignals: findHostSignalFault,
};
const CODEC_METHODS = ['open', 'hello', 'turn', 'decode', 'resolve'];
const TRANSPORTS: Readonly<Record<string, string | undefined>> = {
  oneshot: undefined,
  live: 'stdio',
  acp: 'stdio',
  http: 'http',
};

/** Throws one ValidationError that names every fault. */
export function assertAdapter(adapter: unknown): asserts adapter is AgentAdapter {
  const faults = findAdapterFaults(adapter);
  if (faults.length === 0) return;
  const name = isRecord(adapter) && typeof adapter.agent === 'string' && adapter.agent ? ` "${adapter.agent}"` : '';
  throw new ValidationError(`adapter${name}`, faults);
}

/** Everything that is wrong with an adapter; empty for a good one. */
export function findAdapterFaults(adapter: unknown): Fault[] {
  if (!isRecord(adapter)) return [{ field: '', problem: 'must be an object' }];
  const faults: Fault[] = [];
  const fault = (field: string, problem: string) => faults.push({ field, problem });
  // A getter of the adapter may throw: that is a fault of its field, not of whoever looks.
  const read = (field: string): unknown => {
    try {
      return adapter[field];
    } catch (error) {
      fault(field, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  const refuse = (field: string, problem: string | undefined) => problem !== undefined && fault(field, problem);
  const isMethod = (field: string) => typeof read(field) === 'function';

  for (const field of REQUIRED_TEXTS) {
    const value = read(field);
    if (!isText(value)) fault(field, 'must be a non-empty string');
    else if (field === 'agent') refuse(field, findAgentNameFault(value));
  }
  for (const field of REQUIRED_METHODS) if (!isMethod(field)) fault(field, 'must be a function');
  for (const field of OPTIONAL_METHODS) {
    if (read(field) !== undefined && !isMethod(field)) fault(field, 'must be a function where it is given');
  }
  for (const field of OPTIONAL_LISTS) {
    const value = read(field);
    if (value !== undefined && !isTextList(value)) fault(field, 'must be a list of strings');
    else if (isTextList(value)) for (const entry of value) refuse(field, LIST_RULES[field]?.(entry));
  }
  const minVersion = read('minVersion');
  if (minVersion !== undefined && (typeof minVersion !== 'string' || parseVersion(minVersion) === null)) {
    fault('minVersion', 'must be a version such as 1.2.3');
  }

  const before = faults.length;
  const capabilities = read('capabilities');
  if (faults.length === before) faults.push(...findCapabilityFaults(capabilities, 'capabilities'));
  if (isRecord(capabilities) && capabilities.supportsPlugins === true && read('plugins') === undefined) {
    for (const field of PLUGIN_METHODS) {
      if (read(field) === undefined) fault(field, 'must be a function, since capabilities.supportsPlugins is true');
    }
  }
  faults.push(...findModeFaults(read('modes'), capabilities));
  faults.push(...findToolKindFaults(read('toolKinds')));
  faults.push(...findModelFaults(read('models'), read('defaultModelId')));
  faults.push(...findSchemaFaults(read('configSchema')));
  faults.push(...findInstallFaults(read('installMethods')));
  return faults;
}

function findToolKindFaults(table: unknown): Fault[] {
  if (table === undefined) return [];
  if (!isRecord(table)) return [{ field: 'toolKinds', problem: 'must be an object' }];
  const wrong = Object.entries(table).filter(([, kind]) => !isToolKind(kind));
  return wrong.map(([name]) => ({ field: `toolKinds.${name}`, problem: `must be one of ${TOOL_KINDS.join(', ')}` }));
}

function findLimitationFaults(limitations: unknown, field: string): Fault[] {
  const known = Object.keys(LIMITATIONS);
  if (limitations === undefined) return [];
  if (Array.isArray(limitations) && limitations.every((one) => known.includes(one))) return [];
  return [{ field, problem: `must be a list of ${known.join(', ')}` }];
}

function findModeFaults(modes: unknown, capabilities: unknown): Fault[] {
  if (modes === undefined) return [];
  if (!Array.isArray(modes) || modes.length === 0) return [{ field: 'modes', problem: 'must be a non-empty list' }];
  const faults: Fault[] = [];
  const names = new Set<string>();
  modes.forEach((mode: unknown, index) => {
    const at = `modes[${index}]`;
    if (!isRecord(mode)) {
      faults.push({ field: at, problem: 'must be an object' });
      return;
    }
    if (!isText(mode.name)) faults.push({ field: `${at}.name`, problem: 'must be a non-empty string' });
    else if (names.has(mode.name)) faults.push({ field: `${at}.name`, problem: `"${mode.name}" is already taken` });
    else names.add(mode.name);
    if (typeof mode.summary !== 'string') faults.push({ field: `${at}.summary`, problem: 'must be a string' });
    faults.push(...findLimitationFaults(mode.limitations, `${at}.limitations`));
    faults.push(...findCapabilityFaults(mode.capabilities, `${at}.capabilities`));
    faults.push(...findDriverFaults(mode, at));
    faults.push(...findDeliveryFaults(mode, `${at}.promptDelivery`));
  });
  const first: unknown = modes[0];
  if (isRecord(first) && isRecord(first.capabilities) && isRecord(capabilities)) {
    if (!isDeepStrictEqual({ ...first.capabilities }, { ...capabilities })) {
      faults.push({ field: 'capabilities', problem: 'must be those of the first mode, which is the default one' });
    }
  }
  return faults;
}

function findDriverFaults(mode: Record<string, unknown>, at: string): Fault[] {
  const driver = typeof mode.driver === 'string' ? mode.driver : '';
  if (!Object.hasOwn(TRANSPORTS, driver)) {
    return [{ field: `${at}.driver`, problem: `must be one of ${Object.keys(TRANSPORTS).join(', ')}` }];
  }
  const transport = TRANSPORTS[driver];
  if (transport === undefined) return [];
  const live = mode.live;
  if (!isRecord(live)) return [{ field: `${at}.live`, problem: `must be given for the driver ${driver}` }];
  const faults: Fault[] = [];
  if (live.transport !== transport) faults.push({ field: `${at}.live.transport`, problem: `must be "${transport}"` });
  if (typeof live.sessionFirst !== 'boolean')
    faults.push({ field: `${at}.live.sessionFirst`, problem: 'must be a boolean' });
  if (transport === 'http' && !isRecord(live.server))
    faults.push({ field: `${at}.live.server`, problem: 'must be an object' });
  const codec = live.codec;
  for (const method of CODEC_METHODS) {
    if (!isRecord(codec) || typeof codec[method] !== 'function') {
      faults.push({ field: `${at}.live.codec.${method}`, problem: 'must be a function' });
    }
  }
  return faults;
}

function findDeliveryFaults({ driver, promptDelivery }: Record<string, unknown>, field: string): Fault[] {
  if (promptDelivery === undefined) return [];
  if (driver !== 'oneshot') return [{ field, problem: 'follows from the driver; only oneshot modes declare it' }];
  if (ONESHOT_DELIVERIES.some((each) => each === promptDelivery)) return [];
  return [{ field, problem: `must be one of ${ONESHOT_DELIVERIES.join(', ')}` }];
}

function findModelFaults(models: unknown, defaultModelId: unknown): Fault[] {
  if (!Array.isArray(models)) return [{ field: 'models', problem: 'must be a list' }];
  const faults: Fault[] = [];
  const known = new Set<unknown>();
  models.forEach((model: unknown, index) => {
    if (!isRecord(model) || !isText(model.id))
      faults.push({ field: `models[${index}].id`, problem: 'must be a non-empty string' });
    else if (known.has(model.id))
      faults.push({ field: `models[${index}].id`, problem: `"${model.id}" is listed twice` });
    else known.add(model.id);
  });
  if (defaultModelId === undefined) return faults;
  if (!isText(defaultModelId)) faults.push({ field: 'defaultModelId', problem: 'must be a non-empty string' });
  else if (known.size > 0 && !known.has(defaultModelId)) {
    faults.push({ field: 'defaultModelId', problem: `"${defaultModelId}" is not one of the models` });
  }
  return faults;
}

function findSchemaFaults(schema: unknown): Fault[] {
  if (!isRecord(schema)) return [{ field: 'configSchema', problem: 'must be an object' }];
  const faults: Fault[] = [];
  if (!isText(schema.agent)) faults.push({ field: 'configSchema.agent', problem: 'must be a non-empty string' });
  if (!Array.isArray(schema.fields)) faults.push({ field: 'configSchema.fields', problem: 'must be a list' });
  for (const field of ['configFilePaths', 'projectConfigFilePaths', 'oldConfigFilePaths']) {
    if (!(field === 'oldConfigFilePaths' && schema[field] === undefined) && !isTextList(schema[field]))
      faults.push({ field: `configSchema.${field}`, problem: 'must be a list of strings' });
  }
  return faults;
}

function findInstallFaults(methods: unknown): Fault[] {
  if (methods === undefined) return [];
  if (!Array.isArray(methods)) return [{ field: 'installMethods', problem: 'must be a list' }];
  return methods.flatMap((method: unknown, index) =>
    isRecord(method) &&
    isText(method.type) &&
    typeof method.command === 'string' &&
    [method.update, method.uninstall].every((command) => command === undefined || isText(command)) &&
    (method.platforms === 'all' || isTextList(method.platforms))
      ? []
      : [
          {
            field: `installMethods[${index}]`,
            problem: 'must have a type, a command and platforms; update and uninstall are commands',
          },
        ],
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}
