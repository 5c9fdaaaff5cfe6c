import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSession } from '../../test/fake-service.ts';
import { addressOf, type Fuzzer, openFuzzer } from '../../test/fuzz-routes.ts';
import { findMisfits } from '../../test/json-schema.ts';
import { openRequest, type ServedApi, serveApi } from '../../test/served-api.ts';

/** Requests of each kind for each route. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 15);

let api: ServedApi;
let fuzzer: Fuzzer;

beforeAll(async () => {
  api = await serveApi();
  await api.store.addEvents('one', [{ type: 'text', text: 'hello' }, { type: 'run_result' }]);
  await api.store.appendAudit({ time: 1, who: 'token', action: 'session.stop', sessionId: 'one', detail: {} });
  for (let at = 0; at < 200; at += 1) {
    await api.store.putRequest({
      id: `req${at}`,
      sessionId: 'one',
      agent: 'demo',
      launch: 1,
      requestId: '1',
      kind: 'approval',
      event: {},
      state: 'open',
      outcome: null,
      by: null,
      answer: null,
      laterUntil: null,
      createdAt: 1,
      resolvedAt: null,
    });
  }
  for (let at = 0; at < 50; at += 1) {
    const body = { cron: '0 7 * * 1-5', session: { agent: 'demo', cwd: api.workspace, prompt: 'hello' } };
    expect((await api.ask('/api/v1/schedules', { method: 'POST', body })).status).toBe(201);
  }
  fuzzer = await openFuzzer(api.ask);
});
afterAll(() => api.stop());

test('the document names every route, each with what it answers', () => {
  expect(fuzzer.operations.length).toBeGreaterThan(40);
  expect(new Set(fuzzer.operations.map(({ operationId }) => operationId)).size).toBe(fuzzer.operations.length);
  for (const { responses, path, parameters } of fuzzer.operations) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['4XX', '5XX']));
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(named);
  }
});

test('nothing that is sent makes the daemon fail, and every answer is as documented', {
  timeout: 240_000,
}, async () => {
  await fuzzer.walk({ runs: RUNS, rounds: 3 });
  // That a schedule names variables which are not there is told when it runs.
  const logged = api.logged.filter(({ message }) => !/^schedule \w+: the daemon's environment has no /.test(message));
  expect(logged).toEqual([]);
  // These need something that no schema can say: a link, a browser, a hash, a file, a repository, a terminal, a rule, a plan, a message of that session.
  const special = [
    'signInBrowser',
    'removeBrowser',
    'cancelMessage',
    'readBlob',
    'listTree',
    'readWorkspaceFile',
    'readDiff',
    'readHistory',
    'addRule',
    'removeRule',
    'forgetRemembered',
    'watchTerminal',
    'typeInTerminal',
    'sizeTerminal',
    'claimTerminal',
    'installAgent',
    'updateAgent',
    'verifyAgent',
    'getJob',
    'cancelJob',
  ];
  expect(
    fuzzer.operations
      .map(({ operationId }) => operationId)
      .filter((id) => !fuzzer.wentWell.has(id) && !special.includes(id)),
  ).toEqual([]);
});

test('nothing is told to whoever shows no token, but where the document says so', async () => {
  for (const operation of fuzzer.operations) {
    const [input] = fc.sample(fuzzer.goodInput(operation), 1);
    const answer = await api.ask(addressOf(operation, input!), { method: operation.method, token: null });
    const open = ['getHealth', 'getReady', 'getOpenApi', 'signInBrowser'].includes(operation.operationId);
    if (open) fuzzer.checkAnswer(operation, answer);
    else expect([operation.operationId, answer.status]).toEqual([operation.operationId, 401]);
  }
});

test('streams send what the document says', async () => {
  const streams = fuzzer.operations.flatMap((operation) => {
    const item = operation.responses['200']?.content?.['text/event-stream']?.itemSchema;
    return item ? [{ operation, item }] : [];
  });
  expect(streams.map(({ operation }) => operation.operationId).sort()).toEqual([
    'readChanges',
    'readEvents',
    'watchTerminal',
  ]);
  await api.store.insertSession(newSession('two'));
  await api.store.addEvents('two', [{ type: 'text', text: 'hello' }]);
  // What a terminal sends is tried with one (test/terminals.test.ts).
  for (const { operation, item } of streams.filter((each) => each.operation.operationId !== 'watchTerminal')) {
    const sent = openRequest(api.port, addressOf(operation, { path: { id: 'two' }, query: {}, body: undefined }), {
      headers: { accept: 'text/event-stream' },
    });
    let text = '';
    sent.on('response', (response) =>
      response
        .setEncoding('utf8')
        .on('data', (part) => (text += part))
        .on('error', () => {}),
    );
    sent.end();
    await expect.poll(() => /^data: .*\n\n/m.test(text)).toBe(true);
    const data = [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, line]) => JSON.parse(line!));
    for (const each of data) expect(findMisfits(item, each, fuzzer.resolve)).toEqual([]);
    sent.destroy();
  }
});
