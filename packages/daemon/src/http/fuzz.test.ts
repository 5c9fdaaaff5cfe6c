import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSession } from '../../test/fake-service.ts';
import { addressOf, type Fuzzer, openFuzzer } from '../../test/fuzz-routes.ts';
import { findMisfits } from '../../test/json-schema.ts';
import { openRequest, type ServedApi, serveApi } from '../../test/served-api.ts';

/** Number of requests of each kind per route. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 15);

let api: ServedApi;
let fuzzer: Fuzzer;

beforeAll(async () => {
  api = await serveApi();
  await api.store.addEvents('one', [{ type: 'text', text: 'hello' }, { type: 'run_result' }]);
  await api.store.appendAudit({ timestamp: 1, actor: 'token', action: 'session.stop', sessionId: 'one', detail: {} });
  for (let at = 0; at < 200; at += 1) {
    await api.store.putRequest({
      id: `req${at}`,
      sessionId: 'one',
      agent: 'demo',
      launch: 1,
      agentRequestId: '1',
      kind: 'approval',
      event: {},
      state: 'open',
      outcome: null,
      by: null,
      answer: null,
      snoozedUntil: null,
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

test('documents every route with its responses', () => {
  expect(fuzzer.operations.length).toBeGreaterThan(40);
  expect(new Set(fuzzer.operations.map(({ operationId }) => operationId)).size).toBe(fuzzer.operations.length);
  for (const { responses, path, parameters } of fuzzer.operations) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['4XX', '5XX']));
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(named);
  }
});

test('survives any input with documented responses', {
  timeout: 240_000,
}, async () => {
  await fuzzer.walk({ runs: RUNS, rounds: 3 });
  // A schedule with missing variables logs that when it runs.
  const logged = api.logged.filter(
    ({ message }) => !/^schedule \w+: missing in the daemon's environment: /.test(message),
  );
  expect(logged).toEqual([]);
  // These need existing state: a link, a browser, a hash, a file, a repository, a terminal, a rule, a plan or a
  // message.
  const special = [
    'signInBrowser',
    'removeBrowser',
    'cancelMessage',
    'getBlob',
    'listTree',
    'getWorkspaceFile',
    'getDiff',
    'getHistory',
    'addRule',
    'removeRule',
    'forgetRemembered',
    'getTerminal',
    'writeTerminal',
    'resizeTerminal',
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
      .filter((id) => !fuzzer.succeeded.has(id) && !special.includes(id)),
  ).toEqual([]);
});

test('requires a token except where documented', async () => {
  for (const operation of fuzzer.operations) {
    const [input] = fc.sample(fuzzer.goodInput(operation), 1);
    const answer = await api.ask(addressOf(operation, input!), { method: operation.method, token: null });
    const open = ['getHealth', 'getReady', 'getOpenApi', 'signInBrowser'].includes(operation.operationId);
    if (open) fuzzer.checkAnswer(operation, answer);
    else expect([operation.operationId, answer.status]).toEqual([operation.operationId, 401]);
  }
});

test('streams match the document', async () => {
  const streams = fuzzer.operations.flatMap((operation) => {
    const item = operation.responses['200']?.content?.['text/event-stream']?.itemSchema;
    return item ? [{ operation, item }] : [];
  });
  expect(streams.map(({ operation }) => operation.operationId).sort()).toEqual([
    'getTerminal',
    'listChanges',
    'listEvents',
  ]);
  await api.store.insertSession(newSession('two'));
  await api.store.addEvents('two', [{ type: 'text', text: 'hello' }]);
  // Terminal streams are tested in test/terminals.test.ts.
  for (const { operation, item } of streams.filter((each) => each.operation.operationId !== 'getTerminal')) {
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
