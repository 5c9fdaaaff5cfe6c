import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, createTestHome, hasScript, onTerminal, type Started, start, type TestHome, TIMEOUT_MS } from './amux.ts';
import { FakeDaemon, writing } from './fake-daemon.ts';
import { screenOf } from './screen-reader.ts';

const options = { timeout: TIMEOUT_MS };
const COLUMNS = 100;
const rowsOf = (run: Started) => screenOf(run.output(), COLUMNS);

let testHome: TestHome;
let daemon: FakeDaemon;
beforeEach(async () => {
  testHome = createTestHome();
  daemon = new FakeDaemon(testHome);
  await daemon.listen();
});
afterEach(() => daemon.die());

/** Waits for rows on the current screen, not in past output. */
async function untilShown(run: Started, what: (rows: readonly string[]) => boolean): Promise<void> {
  const isOver = run.finished.then(() => true);
  while (!what(rowsOf(run))) {
    const over = await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, 25))]);
    if (over) throw new Error(`ended before it was shown:\n${rowsOf(run).join('\n')}`);
  }
}

const untilIdle = (run: Started) => untilShown(run, (rows) => rows.at(-1) === '›');
const attach = (id: string, ...more: string[]) => onTerminal(testHome, ['attach', id, ...more], { NO_COLOR: '1' });
const type = (run: Started, text: string) => run.child.stdin?.write(text);
const bodies = (call: string) => daemon.calls.filter((each) => each.call === call).map(({ body }) => body);

describe.runIf(hasScript)('amux attach on a terminal', () => {
  it('shows the conversation so far, sends typed messages and detaches', options, async () => {
    const { id } = daemon.add({ title: 'a talk' });
    daemon.turn(id, 'first words');
    const run = attach(id.slice(0, 5));
    await untilIdle(run);
    expect(rowsOf(run)).toEqual(expect.arrayContaining(['› first words', 'You said: first words']));
    type(run, 'second words\r');
    await run.until('You said: second words');
    await untilIdle(run);
    expect(rowsOf(run).filter((row) => row === '› second words')).toHaveLength(1);
    type(run, '\x04');
    expect((await run.finished).code).toBe(0);
    expect(rowsOf(run).at(-1)).toBe(
      `  detached; the session keeps running: run "amux attach ${id.slice(0, 8)}" to attach again`,
    );
    expect(daemon.sessions.get(id)).toMatchObject({ isTerminated: false, activity: 'idle' });
  });

  it('asks earlier and new requests', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'ask');
    const run = attach(id);
    await run.until('[y] Allow once');
    expect(rowsOf(run).join('\n')).toContain('demo asks: Write hello.txt');
    type(run, 'y\r');
    await run.until('It was allowed.');
    await untilIdle(run);
    type(run, 'question\r');
    await run.until('Which color?');
    type(run, '2\r');
    await run.until('It was answered.');
    expect([...daemon.requests.values()].map(({ answer }) => answer)).toEqual([
      { decision: 'allow', optionId: 'once' },
      { decision: 'answer', answers: { color: ['Blue'] } },
    ]);
    type(run, '/leave\r');
    expect((await run.finished).code).toBe(0);
  });

  it('withdraws a question that another client has answered', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'ask');
    const run = attach(id);
    await run.until('[y] Allow once');
    expect((await amux(testHome, ['deny', id, 'no'])).code).toBe(0);
    await run.until('answered by another client: denied');
    await untilIdle(run);
    type(run, '\x04');
    expect((await run.finished).code).toBe(0);
  });

  it('steers if the agent supports it, and queues otherwise', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'slow');
    const run = attach(id);
    await run.until('It takes a while.');
    type(run, 'not that file\r');
    await run.until('steered: delivered to the running turn');
    daemon.canSteer = false;
    type(run, 'then the tests\r');
    await run.until('queued until the turn ends: then the tests');
    expect(bodies(`POST /sessions/${id}/messages`)).toEqual([
      { text: 'not that file', mode: 'steer' },
      { text: 'then the tests', mode: 'steer' },
      { text: 'then the tests', mode: 'queue' },
    ]);
    type(run, '\x04');
    expect((await run.finished).code).toBe(0);
    expect(daemon.messages.get(id)?.at(-1)).toMatchObject({ text: 'then the tests', state: 'queued' });
  });

  it('interrupts a running turn with Ctrl-C and detaches with the next two', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'slow');
    const run = attach(id);
    await run.until('It takes a while.');
    type(run, '\x03');
    await run.until('✗ interrupted');
    await untilIdle(run);
    expect(bodies(`POST /sessions/${id}/interrupt`)).toHaveLength(1);
    type(run, 'half a line');
    await untilShown(run, (rows) => rows.at(-1) === '› half a line');
    type(run, '\x03');
    await untilIdle(run);
    expect(run.output()).not.toContain('Ctrl-C again or Ctrl-D detaches');
    type(run, '\x03');
    await run.until('Ctrl-C again or Ctrl-D detaches; the session keeps running');
    type(run, '\x03');
    expect((await run.finished).code).toBe(0);
    expect(daemon.sessions.get(id)).toMatchObject({ isTerminated: false });
  });

  it('reconnects when the daemon is back, with each event once', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'before');
    const run = attach(id);
    await untilIdle(run);
    await daemon.die();
    await run.until('the daemon is down');
    type(run, 'too early\r');
    await run.until('not sent:');
    daemon.happen(id, { type: 'turn_start', origin: 'agent' });
    daemon.endTurn(id, 'Done meanwhile.');
    await daemon.listen();
    await run.until('the daemon is back');
    await run.until('Done meanwhile.');
    // A message that could not be sent returns to the input line.
    await untilShown(run, (rows) => rows.at(-1) === '› too early');
    type(run, '\r');
    await run.until('You said: too early');
    await untilIdle(run);
    expect(rowsOf(run).filter((row) => row.includes('You said: before'))).toHaveLength(1);
    type(run, '\x04');
    expect((await run.finished).code).toBe(0);
  });

  it('exits with the session and says how to restore it', options, async () => {
    const { id } = daemon.add();
    const run = attach(id);
    await untilIdle(run);
    expect((await amux(testHome, ['stop', id])).code).toBe(0);
    expect((await run.finished).code).toBe(0);
    expect(rowsOf(run).at(-1)).toBe(`  the session has ended: run "amux restore ${id.slice(0, 8)}" to restore it`);
    const again = attach(id);
    expect((await again.finished).code).toBe(0);
    expect(again.output()).toContain('the session has ended');
  });

  it('shows the last part of a long session from a turn start, and all of it with --all', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'the very first');
    for (let at = 0; at < 2100; at += 1) daemon.happen(id, { type: 'context_usage', usedTokens: at, maxTokens: null });
    daemon.turn(id, 'the last');
    const run = attach(id);
    await untilIdle(run);
    expect(run.output()).toContain('only the last part is shown');
    expect(run.output()).toContain('You said: the last');
    expect(run.output()).not.toContain('the very first');
    type(run, '\x04');
    await run.finished;
    const whole = attach(id, '--all');
    await untilIdle(whole);
    expect(whole.output()).toContain('You said: the very first');
    type(whole, '\x04');
    await whole.finished;
  });
});

describe('amux attach without a terminal', () => {
  it('shows events, answers nothing and exits with the session', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'first words');
    const run = start(testHome, ['attach', id]);
    await run.until('You said: first words');
    daemon.ask(id, writing('hello.txt'));
    await run.until('needs an answer (amux inbox): Write hello.txt');
    expect([...daemon.requests.values()].map(({ state }) => state)).toEqual(['open']);
    await amux(testHome, ['stop', id]);
    expect((await run.finished).code).toBe(0);
  });

  it('prints events as JSON', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'first words');
    const run = start(testHome, ['attach', id, '--json']);
    await run.until('"turn_end"');
    run.child.kill('SIGINT');
    const { stdout, code } = await run.finished;
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).seq),
    ).toEqual([0, 1, 2, 3, 4]);
  });
});
