import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventBody } from '@agent-mux/core';
import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';
import { callHook, manage, withHooks } from './hooks.ts';

const machines = useMachines();
const PATIENT = { timeout: 60_000, interval: 100 };
// Assembled here, so that scanners do not report this file as a leak.
const CANARY = ['Quux', 'otl', '77'].join('');
const GITHUB = ['ghp', '_', 'Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp9Oo8'].join('');
const OPENAI = ['sk', '-', 'proj-Aa1Bb2Cc3Dd4Ee5Ff6Gg7'].join('');
const KNOWN = ['correct', 'horse', 'battery', 'staple'].join('-');

const letters = (type: 'text_delta' | 'thinking_delta', text: string): EventBody[] =>
  [...text].map((delta) => ({ type, delta }));

function turn(text: string): Step[] {
  const events: EventBody[] = [
    { type: 'title', title: `About ${text}` },
    { type: 'thinking_start' },
    ...letters('thinking_delta', `thinking of ${text} `),
    { type: 'thinking_stop' },
    { type: 'tool_call_start', toolCallId: 't1', toolName: 'look' },
    { type: 'tool_call_ready', toolCallId: 't1', toolName: 'look', input: { path: text } },
    { type: 'tool_result', toolCallId: 't1', toolName: 'look', output: `found ${text}` },
    { type: 'message_start' },
    ...letters('text_delta', `I say ${text} to you`),
    { type: 'message_stop' },
    { type: 'turn_end', status: 'completed' },
  ];
  return events.map((event) => ({ do: 'event', event }));
}

const withText = (text: string) => withHooks([{ do: 'live', turns: [turn(text), turn(text), turn(text)] }]);

/** Files below the state folder that contain one of these texts. */
function filesWith({ root }: Machine, texts: readonly string[]): string[] {
  const state = join(root, 'state');
  return readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const content = readFileSync(path);
      return texts.some((text) => content.includes(text));
    });
}

/** Everything that the API shows of the sessions, since compressed data in the store cannot be searched. */
async function shown(machine: Machine): Promise<string> {
  const { sessions } = await machine.client.sessions.list();
  const all = await Promise.all(
    sessions.map(async ({ id }) => {
      const events = await machine.events(id);
      const joined = events.map((event) => ('delta' in event ? event.delta : '')).join('');
      return [events, joined, await machine.client.sessions.messages(id)];
    }),
  );
  return JSON.stringify([sessions, all, await machine.client.audit({})]);
}

async function expectNothingOf(machine: Machine, texts: readonly string[]): Promise<void> {
  await expect.poll(() => filesWith(machine, texts), PATIENT).toEqual([]);
  const all = await shown(machine);
  for (const text of texts) expect(all).not.toContain(text);
}

describe('storeContent: false', () => {
  it('stores no content while a session runs, is parked or has lost its daemon', async () => {
    const machine = await machines.start({ storeContent: false }, withText(CANARY));
    const { client, work, until } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: `Do ${CANARY}` });
    await until(id, ({ turns }) => turns === 1);
    await expectNothingOf(machine, [CANARY]);

    await client.sessions.send(id, { text: `Again ${CANARY}` });
    await until(id, ({ turns }) => turns === 2);
    await machine.kill();
    expect(filesWith(machine, [CANARY]).filter((path) => path.includes('/journal/'))).toEqual([]);
    await machine.start();
    await expectNothingOf(machine, [CANARY]);

    await machine.client.sessions.park(id);
    expect(await machine.until(id, ({ parked }) => parked)).toMatchObject({
      title: null,
      summary: null,
      statusText: null,
    });
    await expectNothingOf(machine, [CANARY]);
    const types = (await machine.events(id)).map(({ type }) => type);
    expect(types.filter((type) => type === 'turn_end')).toHaveLength(2);
    expect(types).not.toContain('text_delta');
  });

  it('stores no stderr of an agent that crashes', async () => {
    const steps: Step[] = [
      { do: 'line', text: `cannot read ${CANARY}`, to: 'stderr' },
      { do: 'exit', code: 3 },
    ];
    const machine = await machines.start({ storeContent: false }, withHooks([{ do: 'live', turns: [steps] }]));
    const { id } = await machine.client.sessions.create({ agent: 'fake', cwd: machine.work, prompt: 'hello' });
    const { error } = await machine.until(id, ({ activity }) => activity === 'exited');
    expect(error).toMatchObject({ code: 'AGENT_CRASH', message: expect.stringMatching(/code 3/) });
    await expectNothingOf(machine, [CANARY]);
  });

  it('stores no content reported by hooks and programs', async () => {
    const machine = await machines.start({ storeContent: false }, withText(CANARY));
    manage(machine);
    await callHook(machine, { event: 'Prompt', payload: { id: 'n1', prompt: `Do ${CANARY}` } });
    await callHook(machine, { event: 'Stop', payload: { id: 'n1', answer: `Did ${CANARY}` } });
    const found = async () => (await machine.client.sessions.list()).sessions.map(({ activity }) => activity);
    await expect.poll(found, PATIENT).toEqual([expect.stringMatching(/idle|no_signal/)]);
    const [session] = (await machine.client.sessions.list()).sessions;
    await machine.client.sessions.reportActivity(session?.id ?? '', { title: CANARY, summary: CANARY });
    await expectNothingOf(machine, [CANARY]);
  });

  it('refuses a title and clears the text of a cancelled message', async () => {
    const machine = await machines.start(
      { storeContent: false, budgets: [{ per: 'day', tokens: 1 }] },
      withText(CANARY),
    );
    const { client, work, until } = machine;
    const options = { agent: 'demo', cwd: work, prompt: 'hello' };
    const refused = { problem: 'VALIDATION_ERROR', message: expect.stringContaining('storeContent') };
    await expect(client.sessions.create({ ...options, title: CANARY })).rejects.toMatchObject(refused);
    const { id } = await client.sessions.create(options);
    await expect(client.sessions.update(id, { title: CANARY })).rejects.toMatchObject(refused);
    await until(id, ({ turns }) => turns === 1);
    await client.sessions.send(id, { id: 'm2', text: CANARY });
    expect(filesWith(machine, [CANARY])).not.toEqual([]);
    await client.sessions.cancelMessage(id, 'm2');
    await expectNothingOf(machine, [CANARY]);
  });
});

describe('secrets streamed letter by letter', () => {
  it('appear in no file of the daemon and in no API response', async () => {
    const secrets = [GITHUB, OPENAI, KNOWN];
    const content = `first ${GITHUB}, then ${OPENAI} and ${KNOWN} in the end`;
    const machine = await machines.start({}, withText(content));
    const { client, work, until } = machine;
    const { id } = await client.sessions.create({
      agent: 'fake',
      cwd: work,
      prompt: `Use ${content}`,
      env: { MY_TOKEN: KNOWN },
    });
    const session = await until(id, ({ turns }) => turns === 1);
    expect(session.summary).toBe('I say first [redacted], then [redacted] and [redacted] in the end to you');
    await expectNothingOf(machine, secrets);
    await client.sessions.send(id, { text: `Once more ${content}` });
    await until(id, ({ turns }) => turns === 2);
    await machine.kill();
    await machine.start();
    await expectNothingOf(machine, secrets);
  });
});
