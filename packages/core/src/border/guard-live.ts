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
import { adapterError, adapterFault, callNow, checkEvents, type Member, messageOf, parseFault } from './guard-call.ts';

/** A codec's state is its own business: it comes from `open` and is only handed back, so its type may be forgotten. */
export type State = Record<string, unknown>;
export type LineCodec = LiveCodec<State, string, string>;
export type HttpCodec = LiveCodec<State, HttpCall, HttpMessage>;

/** Where a fault goes that nobody asked for: to the run. */
export type TellFault = (fault: EventBody) => void;

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

/** `decode` tells its faults as events; every other member throws an AgentMuxError for what is not its answer. */
function guardCodec<Out, In>(
  agent: string,
  codec: LiveCodec<State, Out, In>,
  isMessage: (value: unknown) => value is Out,
): LiveCodec<State, Out, In> {
  const member = (name: string): Member => ({ agent, name: `codec.${name}` });
  const messages = (name: string, call: () => unknown): Out[] => {
    const said = callNow(member(name), call);
    if (Array.isArray(said) && said.every(isMessage)) return said;
    throw adapterError(member(name), `returned ${nameOf(said)}, where a list of messages is due`);
  };
  const { interrupt, steer, setModel, setApprovalMode, close, quietMs, quiet } = codec;
  const decodeMember = member('decode');
  /** Within the flow of messages nobody could catch what is thrown: a fault is told as an event. */
  const decoded = (asked: Member, call: () => unknown): Decoded<Out> => {
    try {
      const said = callNow(asked, call);
      if (!isRecord(said) || !Array.isArray(said.events))
        return { events: [parseFault(asked, `returned ${nameOf(said)}, where events are due`)] };
      const events = checkEvents(asked, said.events, parseFault);
      const { replies } = said;
      if (replies === undefined) return { events };
      if (Array.isArray(replies) && replies.every(isMessage)) return { events, replies };
      return { events: [...events, adapterFault(asked, `returned ${nameOf(replies)} as replies`)] };
    } catch (error) {
      return { events: [parseFault(asked, messageOf(error))] };
    }
  };
  return {
    open(options, seat) {
      const state = callNow(member('open'), () => codec.open(options, seat));
      if (isRecord(state)) return state;
      throw adapterError(member('open'), `returned ${nameOf(state)}, where its state is due`);
    },
    hello: (state) => messages('hello', () => codec.hello(state)),
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
    ...(quietMs && {
      quietMs(state: State) {
        const said: unknown = callNow(member('quietMs'), () => quietMs.call(codec, state));
        if (said === undefined || (typeof said === 'number' && said >= 0)) return said;
        throw adapterError(member('quietMs'), `returned ${nameOf(said)}, where milliseconds are due`);
      },
    }),
    ...(quiet && {
      quiet: (state: State, over: boolean) => decoded(member('quiet'), () => quiet.call(codec, state, over)),
    }),
  };
}

/** A line whose way cannot be told goes to every run of the process, and to nobody's loss. */
export function guardShare(
  agent: string,
  share: SharedStdio,
  tell: TellFault,
): Omit<SharedStdio, 'channelOf' | 'mayAnswerLater'> & {
  channelOf(state: State): string;
  mayAnswerLater(state: State): boolean;
} {
  const member = (name: string): Member => ({ agent, name: `share.${name}` });
  const word = (name: string, call: () => unknown): string => {
    const said = callNow(member(name), call);
    if (typeof said === 'string') return said;
    throw adapterError(member(name), `returned ${nameOf(said)}, where a string is due`);
  };
  return {
    key: (options) => word('key', () => share.key(options)),
    channelOf: (state) => word('channelOf', () => share.channelOf(state as never)),
    route: (line) => wordOrNone(member('route'), () => share.route(line), tell),
    mayAnswerLater: (state) => {
      try {
        return share.mayAnswerLater !== undefined && share.mayAnswerLater(state as never) !== false;
      } catch {
        return true;
      }
    },
  };
}

export function guardServer(agent: string, spec: HttpServerSpec, tell: TellFault): HttpServerSpec {
  const member = (name: string): Member => ({ agent, name: `server.${name}` });
  const checked = <Value>(name: string, due: string, call: () => unknown, is: (value: unknown) => value is Value) => {
    const said = callNow(member(name), call);
    if (is(said)) return said;
    throw adapterError(member(name), `returned ${nameOf(said)}, where ${due} is due`);
  };
  const { baseUrl, readUrl, shareKey, headers, eventsPath, isHealthy } = spec;
  return {
    ...spec,
    ...(baseUrl && {
      baseUrl: (options, env) => checked('baseUrl', 'a URL', () => baseUrl.call(spec, options, env), isUrl),
    }),
    ...(readUrl && {
      readUrl(line) {
        const url = wordOrNone(member('readUrl'), () => readUrl.call(spec, line), tell);
        // It is handed a password and the prompts: a server that was started here listens here.
        if (url === undefined || (isUrl(url) && LOOPBACK.test(new URL(url).hostname))) return url;
        tell(adapterFault(member('readUrl'), `returned ${nameOf(url)}, where a URL of this machine is due`));
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

/** For members that are asked within the flow of a process's output, where nobody could catch what they throw. */
function wordOrNone(member: Member, call: () => unknown, tell: TellFault): string | undefined {
  try {
    const said = callNow(member, call);
    if (said === undefined || typeof said === 'string') return said;
    tell(adapterFault(member, `returned ${nameOf(said)}, where a string is due`));
  } catch (error) {
    tell({ type: 'error', code: 'ADAPTER_ERROR', message: messageOf(error), recoverable: true });
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
