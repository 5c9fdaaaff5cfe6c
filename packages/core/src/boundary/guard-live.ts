import type { EventBody } from '../contract/events.ts';
import type {
  Decoded,
  HttpCall,
  HttpLive,
  HttpMessage,
  HttpServerSpec,
  LiveCodec,
  SharedStdio,
  StdioLive,
} from '../contract/live.ts';
import { isRecord } from '../values.ts';
import { nameOf } from './event-shape.ts';
import {
  type AdapterMethod,
  adapterError,
  adapterErrorEvent,
  callNow,
  checkEvents,
  messageOf,
  parseErrorEvent,
} from './guard-call.ts';

/** The state is private to the codec: it comes from `open` and is only passed back, so its type is erased. */
export type State = Record<string, unknown>;
export type LineCodec = LiveCodec<State, string, string>;
export type HttpCodec = LiveCodec<State, HttpCall, HttpMessage>;

/** Reports an issue to the run when no caller could catch it. */
export type ReportIssue = (issue: EventBody) => void;

const isLine = (value: unknown): value is string => typeof value === 'string';
const isHttpCall = (value: unknown): value is HttpCall =>
  isRecord(value) &&
  typeof value.tag === 'string' &&
  typeof value.method === 'string' &&
  typeof value.path === 'string';

export function guardLineCodec(agent: string, { codec }: StdioLive): LineCodec {
  return guardCodec(agent, codec as unknown as LineCodec, isLine);
}

export function guardHttpCodec(agent: string, { codec }: HttpLive): HttpCodec {
  return guardCodec(agent, codec as unknown as HttpCodec, isHttpCall);
}

/** `decode` reports its errors as events; every other member throws an AgentMuxError for an invalid result. */
function guardCodec<Out, In>(
  agent: string,
  codec: LiveCodec<State, Out, In>,
  isMessage: (value: unknown) => value is Out,
): LiveCodec<State, Out, In> {
  const member = (name: string): AdapterMethod => ({ agent, name: `codec.${name}` });
  const messages = (name: string, call: () => unknown): Out[] => {
    const returned = callNow(member(name), call);
    if (Array.isArray(returned) && returned.every(isMessage)) return returned;
    throw adapterError(member(name), `returned ${nameOf(returned)}, expected a list of messages`);
  };
  const { interrupt, steer, setModel, setApprovalMode, close, idleMs, onIdle } = codec;
  const decodeMember = member('decode');
  /** No caller could catch an exception within the message stream, so errors become events. */
  const decoded = (asked: AdapterMethod, call: () => unknown): Decoded<Out> => {
    try {
      const returned = callNow(asked, call);
      if (!isRecord(returned) || !Array.isArray(returned.events))
        return { events: [parseErrorEvent(asked, `returned ${nameOf(returned)}, expected events`)] };
      const events = checkEvents(asked, returned.events, parseErrorEvent);
      const { replies } = returned;
      if (replies === undefined) return { events };
      if (Array.isArray(replies) && replies.every(isMessage)) return { events, replies };
      return { events: [...events, adapterErrorEvent(asked, `returned ${nameOf(replies)} as replies`)] };
    } catch (error) {
      return { events: [parseErrorEvent(asked, messageOf(error))] };
    }
  };
  return {
    open(options, slot) {
      const state = callNow(member('open'), () => codec.open(options, slot));
      if (isRecord(state)) return state;
      throw adapterError(member('open'), `returned ${nameOf(state)}, expected a state object`);
    },
    handshake: (state) => messages('handshake', () => codec.handshake(state)),
    turn: (input, state) => messages('turn', () => codec.turn(input, state)),
    resolve: (request, answer, state) => messages('resolve', () => codec.resolve(request, answer, state)),
    decode: (message, state, context) => decoded(decodeMember, () => codec.decode(message, state, context)),
    ...(interrupt && { interrupt: (state: State) => messages('interrupt', () => interrupt.call(codec, state)) }),
    ...(steer && { steer: (input, state) => messages('steer', () => steer.call(codec, input, state)) }),
    ...(setModel && { setModel: (model, state) => messages('setModel', () => setModel.call(codec, model, state)) }),
    ...(setApprovalMode && {
      setApprovalMode: (mode, state) => messages('setApprovalMode', () => setApprovalMode.call(codec, mode, state)),
    }),
    ...(close && { close: (state: State) => messages('close', () => close.call(codec, state)) }),
    ...(idleMs && {
      idleMs(state: State) {
        const returned: unknown = callNow(member('idleMs'), () => idleMs.call(codec, state));
        if (returned === undefined || (typeof returned === 'number' && returned >= 0)) return returned;
        throw adapterError(member('idleMs'), `returned ${nameOf(returned)}, expected milliseconds`);
      },
    }),
    ...(onIdle && {
      onIdle: (state: State, over: boolean) => decoded(member('onIdle'), () => onIdle.call(codec, state, over)),
    }),
  };
}

/** A line that cannot be routed goes to every run of the process. */
export function guardShare(
  agent: string,
  share: SharedStdio,
  report: ReportIssue,
): Omit<SharedStdio, 'channelOf' | 'mayReplyLater'> & {
  channelOf(state: State): string;
  mayReplyLater(state: State): boolean;
} {
  const member = (name: string): AdapterMethod => ({ agent, name: `share.${name}` });
  const stringOf = (name: string, call: () => unknown): string => {
    const returned = callNow(member(name), call);
    if (typeof returned === 'string') return returned;
    throw adapterError(member(name), `returned ${nameOf(returned)}, expected a string`);
  };
  return {
    key: (options) => stringOf('key', () => share.key(options)),
    channelOf: (state) => stringOf('channelOf', () => share.channelOf(state as never)),
    route: (line) => stringOrUndefined(member('route'), () => share.route(line), report),
    mayReplyLater: (state) => {
      try {
        return share.mayReplyLater !== undefined && share.mayReplyLater(state as never) !== false;
      } catch {
        return true;
      }
    },
  };
}

export function guardServer(agent: string, spec: HttpServerSpec, report: ReportIssue): HttpServerSpec {
  const member = (name: string): AdapterMethod => ({ agent, name: `server.${name}` });
  const checked = <Value>(name: string, due: string, call: () => unknown, is: (value: unknown) => value is Value) => {
    const returned = callNow(member(name), call);
    if (is(returned)) return returned;
    throw adapterError(member(name), `returned ${nameOf(returned)}, expected ${due}`);
  };
  const { baseUrl, readUrl, shareKey, headers, eventsPath, isHealthy } = spec;
  return {
    ...spec,
    ...(baseUrl && {
      baseUrl: (options, env) => checked('baseUrl', 'a URL', () => baseUrl.call(spec, options, env), isUrl),
    }),
    ...(readUrl && {
      readUrl(line) {
        const url = stringOrUndefined(member('readUrl'), () => readUrl.call(spec, line), report);
        // The server receives a password and the prompts, so a server started on this machine must listen on this
        // machine.
        if (url === undefined || (isUrl(url) && LOOPBACK.test(new URL(url).hostname))) return url;
        report(adapterErrorEvent(member('readUrl'), `returned ${nameOf(url)}, expected a URL of this machine`));
        return undefined;
      },
    }),
    ...(shareKey && {
      shareKey: (options) => checked('shareKey', 'a string', () => shareKey.call(spec, options), isLine),
    }),
    ...(headers && {
      headers: (options, password, env) =>
        checked('headers', 'names with strings', () => headers.call(spec, options, password, env), isTextMap),
    }),
    ...(isHealthy && {
      isHealthy: (body) => checked('isHealthy', 'true or false', () => isHealthy.call(spec, body), isBoolean),
    }),
    ...(eventsPath && {
      eventsPath: (options) => checked('eventsPath', 'a path', () => eventsPath.call(spec, options), isLine),
    }),
  };
}

/** For members called while reading a process's output, where no caller could catch an exception. */
function stringOrUndefined(member: AdapterMethod, call: () => unknown, report: ReportIssue): string | undefined {
  try {
    const returned = callNow(member, call);
    if (returned === undefined || typeof returned === 'string') return returned;
    report(adapterErrorEvent(member, `returned ${nameOf(returned)}, expected a string`));
  } catch (error) {
    report({ type: 'error', code: 'ADAPTER_ERROR', message: messageOf(error), recoverable: true });
  }
  return undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

function isTextMap(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((each) => typeof each === 'string');
}
