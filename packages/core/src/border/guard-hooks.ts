import type { HookEvent, HookFacet, HookFile, HookLaunch, HookReport, HookState } from '../contract/hooks.ts';
import { isRecord } from '../values.ts';
import { callNow, type Member } from './guard-call.ts';
import { expect, isText } from './guard-surroundings.ts';

/** Hooks that keep the contract. What a payload says is never worth a fault: a reading that fails says nothing. */
export function guardHooks(agent: string, hooks: HookFacet): HookFacet {
  const member = (name: string): Member => ({ agent, name: `hooks.${name}` });
  const call = <Value>(name: string, due: string, is: (value: unknown) => value is Value, work: () => unknown): Value =>
    expect(member(name), callNow(member(name), work), due, is);
  const { forRun, trust } = hooks;
  return {
    events: expect(member('events'), hooks.events, 'a list of events', isEvents),
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
        call('forRun', 'what is added to a launch', isLaunch, () => forRun.call(hooks, commandOf, scratchDir)),
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
        text: (commandOf: (event: string) => string) => call('file.text', 'a text', isText, () => file.text(commandOf)),
      };
    case 'scripts':
      return {
        ...file,
        fileOf: (event) => call('file.fileOf', 'the name of a file', isText, () => file.fileOf(event)),
        text: (command: string) => call('file.text', 'a text', isText, () => file.text(command)),
      };
    case 'plugin':
      return { ...file, text: (agent: string) => call('file.text', 'a text', isText, () => file.text(agent)) };
    default:
      return file;
  }
}

/** By which each is known in a command line and in files, so that it is a word. */
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

function isLaunch(value: unknown): value is HookLaunch {
  if (!isRecord(value)) return false;
  const { args = [], env = {}, envDefaults = {}, files = {} } = value;
  return (
    Array.isArray(args) && args.every((each) => typeof each === 'string') && [env, envDefaults, files].every(isTexts)
  );
}

function isTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((each) => typeof each === 'string');
}
