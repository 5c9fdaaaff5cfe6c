import type { HookEvent, HookFile, HookLaunchArgs, HookReport, HookSpec, HookState } from '../contract/hooks.ts';
import { isRecord } from '../values.ts';
import { type AdapterMethod, callNow } from './guard-call.ts';
import { assertShape, isText } from './guard-queries.ts';

/** Guards the hooks of an adapter. A payload that cannot be read gives an empty report instead of an error. */
export function guardHooks(agent: string, hooks: HookSpec): HookSpec {
  const member = (name: string): AdapterMethod => ({ agent, name: `hooks.${name}` });
  const call = <Value>(name: string, due: string, is: (value: unknown) => value is Value, work: () => unknown): Value =>
    assertShape(member(name), callNow(member(name), work), due, is);
  const { forRun, trust } = hooks;
  return {
    events: assertShape(member('events'), hooks.events, 'a list of events', isEvents),
    file: guardFile(hooks.file, call),
    ...(trust === undefined ? {} : { trust: String(trust) }),
    read(event, payload) {
      try {
        return reportOf(callNow(member('read'), () => hooks.read(event, payload)));
      } catch {
        return {};
      }
    },
    ...(forRun && {
      forRun: (commandOf, scratchDir) =>
        call('forRun', 'launch arguments', isLaunch, () => forRun.call(hooks, commandOf, scratchDir)),
    }),
  };
}

type Call = <Value>(name: string, due: string, is: (value: unknown) => value is Value, work: () => unknown) => Value;

function guardFile(file: HookFile, call: Call): HookFile {
  switch (file.shape) {
    case 'json-flat':
    case 'yaml-list': {
      const isEntry = (value: unknown): value is Record<string, unknown> => isRecord(value);
      return {
        ...file,
        entry: (command, event) => call('file.entry', 'an entry', isEntry, () => file.entry(command, event)),
      };
    }
    case 'markdown-block':
      return {
        ...file,
        text: (commandOf: (event: string) => string) =>
          call('file.text', 'a string', isText, () => file.text(commandOf)),
      };
    case 'scripts':
      return {
        ...file,
        fileOf: (event) => call('file.fileOf', 'a file name', isText, () => file.fileOf(event)),
        text: (command: string) => call('file.text', 'a string', isText, () => file.text(command)),
      };
    case 'plugin':
      return { ...file, text: (agent: string) => call('file.text', 'a string', isText, () => file.text(agent)) };
    default:
      return file;
  }
}

/** Names are used in command lines and files, so each must be a single word. */
function isEvents(value: unknown): value is HookEvent[] {
  return (
    Array.isArray(value) && value.every((each) => isRecord(each) && isText(each.name) && /^[\w.:-]+$/.test(each.name))
  );
}

const STATES: Record<HookState, true> = { active: true, idle: true, waiting_input: true, blocked: true, exited: true };
const TEXTS = ['agentSessionId', 'cwd', 'prompt', 'answer', 'model'] as const satisfies readonly (keyof HookReport)[];

function reportOf(value: unknown): HookReport {
  if (!isRecord(value)) return {};
  const { state } = value;
  const report: HookReport = isText(state) && isState(state) ? { state } : {};
  for (const name of TEXTS) {
    const text = value[name];
    if (isText(text)) report[name] = text;
  }
  return report;
}

function isState(value: string): value is HookState {
  return Object.hasOwn(STATES, value);
}

function isLaunch(value: unknown): value is HookLaunchArgs {
  if (!isRecord(value)) return false;
  const { args = [], env = {}, envDefaults = {}, files = {} } = value;
  return (
    Array.isArray(args) && args.every((each) => typeof each === 'string') && [env, envDefaults, files].every(isTexts)
  );
}

function isTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((each) => typeof each === 'string');
}
