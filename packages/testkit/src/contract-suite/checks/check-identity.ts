import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict';
import {
  type AgentAdapter,
  type AgentMode,
  findAdapterIssues,
  modesOf,
  Registry,
  ValidationError,
} from '@agent-mux/core';
import { aboutTopic, type ContractCheck } from '../check.ts';
import type { Subject } from '../subject.ts';

/** Written out instead of core's own lists: this also finds what core forgot to require. */
const REQUIRED = [
  'agent',
  'displayName',
  'cliCommand',
  'capabilities',
  'models',
  'configSchema',
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

export function identityChecks(subject: Subject): ContractCheck[] {
  const { adapter, make, modes } = subject;
  return aboutTopic('its identity', (show) => {
    show('has a name that can be typed and used as a folder', () => {
      ok(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/.test(adapter.agent), `agent: ${JSON.stringify(adapter.agent)}`);
      ok(!(adapter.agent in {}), `agent: every object has a "${adapter.agent}"`);
    });
    show('has no issues', () => deepStrictEqual(findAdapterIssues(adapter), []));
    show('can be registered, is found by its name, and can be removed again', () => isRegistered(adapter, modes));
    for (const member of REQUIRED) {
      show(`is rejected without ${member}`, () => isRefusedWithout(adapter, [member]));
    }
    show('gets all missing members reported at once', () => isRefusedWithout(adapter, REQUIRED));
    show('has the same capabilities each time', () => {
      strictEqual(adapter.capabilities, adapter.capabilities, 'adapter.capabilities is another object the second time');
      deepStrictEqual(make().capabilities, adapter.capabilities, 'another instance has other capabilities');
    });
    show('has modes with unique names and at least one approval mode each', () => {
      const names = modes.map(({ name }) => name);
      deepStrictEqual([...new Set(names)], names, 'two modes have the same name');
      for (const { name, capabilities } of modes) {
        ok(capabilities.approvalModes.length > 0, `mode "${name}" has no approval mode and can never be run`);
        ok(capabilities.supportedPlatforms.length > 0, `mode "${name}" runs on no platform`);
      }
    });
    for (const mode of modes) {
      show(`declares nothing in mode "${mode.name}" that its other declarations contradict`, () => isConsistent(mode));
    }
    show('has the commands or the methods for plugins exactly if it supports plugins', () => {
      for (const { name, capabilities } of modes) {
        const has = adapter.plugins !== undefined || PLUGIN_METHODS.every((method) => adapter[method] !== undefined);
        strictEqual(has, capabilities.supportsPlugins, `supportsPlugins of mode "${name}"`);
      }
      const some = PLUGIN_METHODS.filter((method) => adapter[method] !== undefined);
      ok(some.length === 0 || some.length === PLUGIN_METHODS.length, `of the methods for plugins it has only ${some}`);
    });
  });
}

/** The checks that any adapter passes, whatever it was made from. */
export function assertIdentity(adapter: AgentAdapter): void {
  deepStrictEqual(findAdapterIssues(adapter), []);
  isRegistered(adapter, modesOf(adapter));
  for (const mode of modesOf(adapter)) isConsistent(mode);
}

function isRegistered(adapter: AgentAdapter, modes: readonly AgentMode[]): void {
  const registry = new Registry({ env: {} });
  registry.register(adapter);
  const found = registry.get(adapter.agent);
  deepStrictEqual(
    [found.agent, found.displayName, found.capabilities],
    [adapter.agent, adapter.displayName, adapter.capabilities],
  );
  strictEqual(registry.list().find(({ agent }) => agent === adapter.agent)?.source, 'plugin');
  strictEqual(registry.capabilities(adapter.agent), adapter.capabilities);
  if (adapter.modes) {
    for (const { name, capabilities } of modes) strictEqual(registry.capabilities(adapter.agent, name), capabilities);
  }
  registry.unregister(adapter.agent);
  ok(!registry.has(adapter.agent), 'it is still there after it was removed');
}

function isRefusedWithout(adapter: AgentAdapter, members: readonly (keyof AgentAdapter)[]): void {
  const registry = new Registry({ env: {} });
  throws(
    () => registry.register(without(adapter, members)),
    (error: unknown) => {
      ok(error instanceof ValidationError, `refused with ${error}, not with a ValidationError`);
      const named = error.issues.map(({ field }) => field);
      deepStrictEqual(
        members.filter((member) => !named.includes(member)),
        [],
        'the refusal does not name what is missing',
      );
      return true;
    },
    `registered without ${members.join(', ')}`,
  );
  ok(!registry.has(adapter.agent), 'it was refused, and is there all the same');
}

function without(adapter: AgentAdapter, members: readonly (keyof AgentAdapter)[]): AgentAdapter {
  const missing: readonly PropertyKey[] = members;
  return new Proxy(adapter, {
    get: (target, key) => (missing.includes(key) ? undefined : Reflect.get(target, key, target)),
  });
}

function isConsistent({ name, driver, live, capabilities: c }: AgentMode): void {
  const rule = (holds: boolean, problem: string) => ok(holds, `mode "${name}": ${problem}`);
  rule(new Set(c.approvalModes).size === c.approvalModes.length, 'an approval mode is listed twice');
  rule(new Set(c.thinkingEfforts).size === c.thinkingEfforts.length, 'a thinking effort is listed twice');
  rule(c.thinkingEfforts.length === 0 || c.supportsThinking, 'thinking efforts without supportsThinking');
  rule(!c.supportsThinkingStreaming || c.supportsThinking, 'supportsThinkingStreaming without supportsThinking');
  rule(!c.canResume || c.sessionPersistence !== 'none', 'canResume, and sessions are not kept');
  rule(!c.canResume || c.nativeSessionIds, 'canResume without nativeSessionIds: resumed by which id?');
  rule(!c.canFork || c.canResume, 'canFork without canResume');
  rule(!c.reportsCost || c.reportsUsage, 'reportsCost without reportsUsage');
  if (driver === 'oneshot') {
    rule(!c.supportsSteer, 'supportsSteer, and a process per turn cannot be spoken to');
    rule(!c.supportsQuestions, 'supportsQuestions, and a process per turn cannot be answered');
    rule(!c.supportsModelSwitch && !c.supportsModeSwitch, 'a process per turn cannot be switched while it runs');
    return;
  }
  const codec = live?.codec;
  rule(!c.supportsInterrupt || codec?.interrupt !== undefined, 'supportsInterrupt, and the codec cannot interrupt');
  rule(!c.supportsSteer || codec?.steer !== undefined, 'supportsSteer, and the codec cannot steer');
  rule(!c.supportsModelSwitch || codec?.setModel !== undefined, 'supportsModelSwitch, and the codec has no setModel');
  rule(
    !c.supportsModeSwitch || codec?.setApprovalMode !== undefined,
    'supportsModeSwitch, and the codec has no setApprovalMode',
  );
}
