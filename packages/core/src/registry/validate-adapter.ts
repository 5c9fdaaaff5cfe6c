import { isDeepStrictEqual } from 'node:util';
import { parseVersion } from '../binaries/version.ts';
import { type AgentAdapter, ONESHOT_DELIVERIES } from '../contract/adapter.ts';
import { ValidationError, type ValidationIssue } from '../contract/errors.ts';
import { LIMITATIONS } from '../contract/limitations.ts';
import type { LiveCodec } from '../contract/live.ts';
import { isToolKind, TOOL_KINDS } from '../contract/tool-kinds.ts';
import { isRecord } from '../values.ts';
import { findCapabilityIssues } from './validate-capabilities.ts';
import { findAgentNameIssue, findAllowListIssue, findHostSignalIssue } from './validate-names.ts';

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
  'applyDefaults',
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
  'verifiedVersions',
  'documentedBy',
  'envAllowList',
  'hostEnvSignals',
  'versionArgs',
] as const satisfies readonly (keyof AgentAdapter)[];
/** Checks for the entries of these lists. */
const LIST_RULES: Readonly<Record<string, (entry: string) => string | undefined>> = {
  envAllowList: findAllowListIssue,
  hostEnvSignals: findHostSignalIssue,
};
const CODEC_METHODS = [
  'open',
  'handshake',
  'turn',
  'decode',
  'resolve',
] as const satisfies readonly (keyof LiveCodec)[];
const TRANSPORTS: Readonly<Record<string, string | undefined>> = {
  oneshot: undefined,
  live: 'stdio',
  acp: 'stdio',
  http: 'http',
};

/** Throws one ValidationError that lists every issue. */
export function assertAdapter(adapter: unknown): asserts adapter is AgentAdapter {
  const issues = findAdapterIssues(adapter);
  if (issues.length === 0) return;
  const name = isRecord(adapter) && typeof adapter.agent === 'string' && adapter.agent ? ` "${adapter.agent}"` : '';
  throw new ValidationError(`adapter${name}`, issues);
}

/** All issues of an adapter; empty for a valid one. */
export function findAdapterIssues(adapter: unknown): ValidationIssue[] {
  if (!isRecord(adapter)) return [{ field: '', problem: 'must be an object' }];
  const issues: ValidationIssue[] = [];
  const issue = (field: string, problem: string) => issues.push({ field, problem });
  // A getter of the adapter may throw: that is an issue of its field.
  const read = (field: string): unknown => {
    try {
      return adapter[field];
    } catch (error) {
      issue(field, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  const refuse = (field: string, problem: string | undefined) => problem !== undefined && issue(field, problem);
  const isMethod = (field: string) => typeof read(field) === 'function';

  for (const field of REQUIRED_TEXTS) {
    const value = read(field);
    if (!isText(value)) issue(field, 'must be a non-empty string');
    else if (field === 'agent') refuse(field, findAgentNameIssue(value));
  }
  for (const field of REQUIRED_METHODS) if (!isMethod(field)) issue(field, 'must be a function');
  for (const field of OPTIONAL_METHODS) {
    if (read(field) !== undefined && !isMethod(field)) issue(field, 'must be a function if present');
  }
  for (const field of OPTIONAL_LISTS) {
    const value = read(field);
    if (value !== undefined && !isTextList(value)) issue(field, 'must be a list of strings');
    else if (isTextList(value)) for (const entry of value) refuse(field, LIST_RULES[field]?.(entry));
  }
  const minVersion = read('minVersion');
  if (minVersion !== undefined && (typeof minVersion !== 'string' || parseVersion(minVersion) === null)) {
    issue('minVersion', 'must be a version such as 1.2.3');
  }

  const before = issues.length;
  const capabilities = read('capabilities');
  if (issues.length === before) issues.push(...findCapabilityIssues(capabilities, 'capabilities'));
  if (isRecord(capabilities) && capabilities.supportsPlugins === true && read('plugins') === undefined) {
    for (const field of PLUGIN_METHODS) {
      if (read(field) === undefined) issue(field, 'must be a function, since capabilities.supportsPlugins is true');
    }
  }
  issues.push(...findModeIssues(read('modes'), capabilities));
  issues.push(...findToolKindIssues(read('toolKinds')));
  issues.push(...findModelIssues(read('models'), read('defaultModelId')));
  issues.push(...findSchemaIssues(read('configSchema')));
  issues.push(...findInstallIssues(read('installMethods')));
  return issues;
}

function findToolKindIssues(table: unknown): ValidationIssue[] {
  if (table === undefined) return [];
  if (!isRecord(table)) return [{ field: 'toolKinds', problem: 'must be an object' }];
  const wrong = Object.entries(table).filter(([, kind]) => !isToolKind(kind));
  return wrong.map(([name]) => ({ field: `toolKinds.${name}`, problem: `must be one of ${TOOL_KINDS.join(', ')}` }));
}

function findLimitationIssues(limitations: unknown, field: string): ValidationIssue[] {
  const known = Object.keys(LIMITATIONS);
  if (limitations === undefined) return [];
  if (Array.isArray(limitations) && limitations.every((one) => known.includes(one))) return [];
  return [{ field, problem: `must be a list of ${known.join(', ')}` }];
}

function findModeIssues(modes: unknown, capabilities: unknown): ValidationIssue[] {
  if (modes === undefined) return [];
  if (!Array.isArray(modes) || modes.length === 0) return [{ field: 'modes', problem: 'must be a non-empty list' }];
  const issues: ValidationIssue[] = [];
  const names = new Set<string>();
  modes.forEach((mode: unknown, index) => {
    const at = `modes[${index}]`;
    if (!isRecord(mode)) {
      issues.push({ field: at, problem: 'must be an object' });
      return;
    }
    if (!isText(mode.name)) issues.push({ field: `${at}.name`, problem: 'must be a non-empty string' });
    else if (names.has(mode.name)) issues.push({ field: `${at}.name`, problem: `"${mode.name}" is already in use` });
    else names.add(mode.name);
    if (typeof mode.summary !== 'string') issues.push({ field: `${at}.summary`, problem: 'must be a string' });
    issues.push(...findLimitationIssues(mode.limitations, `${at}.limitations`));
    issues.push(...findCapabilityIssues(mode.capabilities, `${at}.capabilities`));
    issues.push(...findDriverIssues(mode, at));
    issues.push(...findDeliveryIssues(mode, `${at}.promptDelivery`));
  });
  const first: unknown = modes[0];
  if (isRecord(first) && isRecord(first.capabilities) && isRecord(capabilities)) {
    if (!isDeepStrictEqual({ ...first.capabilities }, { ...capabilities })) {
      issues.push({ field: 'capabilities', problem: 'must equal those of the first mode, which is the default' });
    }
  }
  return issues;
}

function findDriverIssues(mode: Record<string, unknown>, at: string): ValidationIssue[] {
  const driver = typeof mode.driver === 'string' ? mode.driver : '';
  if (!Object.hasOwn(TRANSPORTS, driver)) {
    return [{ field: `${at}.driver`, problem: `must be one of ${Object.keys(TRANSPORTS).join(', ')}` }];
  }
  const transport = TRANSPORTS[driver];
  if (transport === undefined) return [];
  const live = mode.live;
  if (!isRecord(live)) return [{ field: `${at}.live`, problem: `is required for the driver ${driver}` }];
  const issues: ValidationIssue[] = [];
  if (live.transport !== transport) issues.push({ field: `${at}.live.transport`, problem: `must be "${transport}"` });
  if (typeof live.waitForSession !== 'boolean')
    issues.push({ field: `${at}.live.waitForSession`, problem: 'must be a boolean' });
  if (transport === 'http' && !isRecord(live.server))
    issues.push({ field: `${at}.live.server`, problem: 'must be an object' });
  const codec = live.codec;
  for (const method of CODEC_METHODS) {
    if (!isRecord(codec) || typeof codec[method] !== 'function') {
      issues.push({ field: `${at}.live.codec.${method}`, problem: 'must be a function' });
    }
  }
  return issues;
}

function findDeliveryIssues({ driver, promptDelivery }: Record<string, unknown>, field: string): ValidationIssue[] {
  if (promptDelivery === undefined) return [];
  if (driver !== 'oneshot') return [{ field, problem: 'is determined by the driver; only oneshot modes may set it' }];
  if (ONESHOT_DELIVERIES.some((each) => each === promptDelivery)) return [];
  return [{ field, problem: `must be one of ${ONESHOT_DELIVERIES.join(', ')}` }];
}

function findModelIssues(models: unknown, defaultModelId: unknown): ValidationIssue[] {
  if (!Array.isArray(models)) return [{ field: 'models', problem: 'must be a list' }];
  const issues: ValidationIssue[] = [];
  const known = new Set<unknown>();
  models.forEach((model: unknown, index) => {
    if (!isRecord(model) || !isText(model.id))
      issues.push({ field: `models[${index}].id`, problem: 'must be a non-empty string' });
    else if (known.has(model.id))
      issues.push({ field: `models[${index}].id`, problem: `"${model.id}" is listed twice` });
    else known.add(model.id);
  });
  if (defaultModelId === undefined) return issues;
  if (!isText(defaultModelId)) issues.push({ field: 'defaultModelId', problem: 'must be a non-empty string' });
  else if (known.size > 0 && !known.has(defaultModelId)) {
    issues.push({ field: 'defaultModelId', problem: `"${defaultModelId}" is not one of the models` });
  }
  return issues;
}

function findSchemaIssues(schema: unknown): ValidationIssue[] {
  if (!isRecord(schema)) return [{ field: 'configSchema', problem: 'must be an object' }];
  const issues: ValidationIssue[] = [];
  if (!isText(schema.agent)) issues.push({ field: 'configSchema.agent', problem: 'must be a non-empty string' });
  if (!Array.isArray(schema.fields)) issues.push({ field: 'configSchema.fields', problem: 'must be a list' });
  for (const field of ['configFilePaths', 'projectConfigFilePaths', 'oldConfigFilePaths']) {
    if (!(field === 'oldConfigFilePaths' && schema[field] === undefined) && !isTextList(schema[field]))
      issues.push({ field: `configSchema.${field}`, problem: 'must be a list of strings' });
  }
  return issues;
}

function findInstallIssues(methods: unknown): ValidationIssue[] {
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
