import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { purposeOf } from './auxiliary.ts';
import type { Codec } from './codec.ts';
import { deliver, type Outcome, sendJson } from './deliver.ts';
import { readBody, redactHeaders, redactPath, targetOf } from './incoming.ts';
import { isObject, parseJson } from './json.ts';
import { type Reply, reply } from './reply.ts';
import type { Conversation, Malformed, ModelRequest, OtherRequest } from './request.ts';
import { RequestLog, type RequestPredicate } from './request-log.ts';
import { modelsAnswer, type Route, routeOf } from './routes.ts';
import { answerAuxiliary, HELLO, type Scenario } from './scenario.ts';
import { turnPosition } from './turn.ts';

export interface ScriptedModelOptions {
  /** Answers the turns of the user; a short greeting by default. */
  scenario?: Scenario;
  /** Answers auxiliary requests of CLIs: titles, routers, memory. */
  auxiliary?: Scenario;
  /** 0 selects a free one. */
  port?: number;
  /** Called for each request when it has arrived. */
  observe?: (request: ModelRequest | OtherRequest) => void;
  /** The names in the model list. */
  models?: readonly string[];
}

export interface ScriptedModel {
  /** `http://127.0.0.1:PORT`, without a version in the path. */
  url: string;
  port: number;
  requests: readonly ModelRequest[];
  others: readonly OtherRequest[];
  setScenario(scenario: Scenario): void;
  /** The first matching request, including earlier ones; rejects after `timeoutMs`. */
  waitForRequest(predicate: RequestPredicate, timeoutMs: number): Promise<ModelRequest>;
  /** Resolves when the response to this request is over. */
  outcome(request: ModelRequest): Promise<Outcome>;
  /** Cuts open connections and stops listening. */
  close(): Promise<void>;
}

/** Longer than any pause between two requests of a client, so that none is sent into a closing connection. */
const KEEP_ALIVE_MS = 120_000;

const EMPTY: Conversation = {
  model: '',
  system: '',
  messages: [],
  tools: [],
  stream: false,
  effort: null,
  thinking: null,
};

export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const log = new RequestLog();
  const others: OtherRequest[] = [];
  const outcomes = new Map<number, Promise<Outcome>>();
  const models = options.models ?? ['scripted-model'];
  const auxiliary = options.auxiliary ?? answerAuxiliary;
  const idPrefix = randomBytes(4).toString('hex');
  let scenario: Scenario = options.scenario ?? (() => HELLO);

  async function decide(request: ModelRequest): Promise<Reply> {
    if (request.malformed !== null) return reply.status(400, { message: request.malformed });
    try {
      const answer = await (request.auxiliary ? auxiliary : scenario)(request, request.turn);
      return typeof answer === 'string' ? reply.text(answer) : answer;
    } catch (error) {
      return reply.status(500, { message: `the scenario failed: ${String(error)}` });
    }
  }

  async function answer(route: Route, incoming: IncomingMessage, response: ServerResponse, target: URL): Promise<void> {
    const text = await readBody(incoming);
    const other = (status: number, body: unknown): Promise<Outcome> => {
      const entry = { method: incoming.method ?? '', path: redactPath(target), status };
      others.push(entry);
      options.observe?.(entry);
      return sendJson(response, status, body);
    };
    const refuse = (codec: Codec, status: number): Promise<Outcome> =>
      other(status, codec.error({ status, message: null, retryAfterSeconds: null, body: null }));

    if (route.type === 'models') await other(200, modelsAnswer(target, models));
    else if (text === null) await refuse(route.codec, 413);
    else if (route.type === 'unknown') await refuse(route.codec, 404);
    else if (route.type === 'count') await other(200, { [route.field]: Math.ceil(text.length / 4) });
    else {
      const request = {
        index: log.requests.length,
        headers: redactHeaders(incoming),
        ...readRequest(route.codec, text, target),
      };
      log.add(request);
      const exchange = { id: `${idPrefix}${request.index}`, request, now: new Date() };
      const outcome = decide(request).then((decided) => deliver(decided, route.codec, exchange, response));
      outcomes.set(request.index, outcome);
      options.observe?.(request);
      await outcome;
    }
  }

  const server = createServer((incoming, response) => {
    const target = targetOf(incoming);
    const route = routeOf(incoming.method ?? 'GET', target);
    answer(route, incoming, response, target).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: log.requests,
    others,
    setScenario: (next) => {
      scenario = next;
    },
    waitForRequest: (predicate, timeoutMs) => log.wait(predicate, timeoutMs),
    outcome: (request) => outcomes.get(request.index) ?? Promise.reject(new Error('not a request of this model')),
    close: () => {
      log.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function readRequest(codec: Codec, text: string, target: URL): Omit<ModelRequest, 'index' | 'headers'> {
  const body = parseJson(text);
  const read: Conversation | Malformed = isObject(body)
    ? codec.read(body, target)
    : { malformed: 'The request body is not valid JSON.' };
  const malformed = 'malformed' in read ? read.malformed : null;
  const conversation = 'malformed' in read ? EMPTY : read;
  const purpose = purposeOf(conversation);
  return {
    api: codec.api,
    path: redactPath(target),
    ...conversation,
    ...turnPosition(conversation.messages),
    auxiliary: purpose !== 'main',
    purpose,
    malformed,
    body: body === undefined ? text : body,
  };
}
