import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { listProcessTree } from '@agent-mux/core';
import { afterEach, describe, expect, it } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';

const machines = useMachines();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
const TIMEOUT = { timeout: 60_000, interval: 50 };

async function receive(answer: (nth: number, response: ServerResponse) => void) {
  const got: { id: string; body: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      got.push({ id: `${request.headers['agent-mux-id']}`, body: JSON.parse(text) });
      answer(got.length, response);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

function configure(machine: Machine, url: string, more: object = {}): void {
  const secretFile = join(machine.root, 'secret');
  writeFileSync(secretFile, 'of the test', { mode: 0o600 });
  machine.configure({
    notify: {
      targets: { hook: { type: 'webhook', url, secretFile }, ...more },
      rules: [{ to: ['hook', ...Object.keys(more)], when: ['blocked', 'idle', 'failed'] }],
    },
  });
}

describe('notifications after SIGKILL', () => {
  it('sends what was not sent with the same id, and nothing twice', async () => {
    const machine = await machines.start();
    let isUp = false;
    const { got, url } = await receive((_, response) => {
      response.statusCode = isUp ? 200 : 503;
      response.end();
    });
    configure(machine, url);
    await machine.end();
    await machine.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'write a.txt' });
    await machine.until(id, ({ activity }) => activity === 'blocked');
    await expect.poll(() => got.length, TIMEOUT).toBeGreaterThanOrEqual(1);
    await machine.kill();
    isUp = true;
    const tried = got.length;
    await machine.start();
    await expect.poll(() => got.length, TIMEOUT).toBe(tried + 1);
    expect(new Set(got.map((each) => each.id)).size).toBe(1);
    expect(got[0]?.body).toMatchObject({ state: 'blocked', session: { id, agent: 'demo', project: 'work' } });
    const listed = async () => (await machine.client.notifications.list()).notifications;
    await expect.poll(async () => (await listed())[0]?.outcome, TIMEOUT).toBe('sent');
    await machine.kill();
    await machine.start();
    const [request] = (await machine.client.inbox()).requests;
    await machine.client.requests.answer(request?.id ?? '', { decision: 'allow' });
    await expect.poll(() => got.at(-1)?.body.state, TIMEOUT).toBe('idle');
    expect(got).toHaveLength(tried + 2);
  });

  it('does not run a command twice', async () => {
    const machine = await machines.start();
    const script = join(machine.root, 'notify');
    const out = join(machine.root, 'output');
    writeFileSync(script, `#!/bin/sh\ncat >> ${out}\nexec sleep 600\n`);
    chmodSync(script, 0o755);
    const { url } = await receive((_, response) => void response.end());
    configure(machine, url, { log: { type: 'command', command: [script] } });
    await machine.end();
    await machine.start();
    await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
    await expect.poll(() => existsSync(out) && readFileSync(out, 'utf8').includes('\n'), TIMEOUT).toBe(true);
    await machine.kill();
    await machine.start();
    const outcomes = async () =>
      (await machine.client.notifications.list()).notifications
        .map(({ target, outcome }) => `${target} ${outcome}`)
        .sort();
    await expect.poll(outcomes, TIMEOUT).toEqual(['hook sent', 'log unknown']);
    expect(readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(1);
    // Only the killed daemon would have ended it.
    const marked = (await machine.client.notifications.list()).notifications.find(({ target }) => target === 'log');
    for (const { pid } of listProcessTree(-1, `notify-${marked?.id}`)) process.kill(pid, 'SIGKILL');
  });
});

it('reports an invalid rule and ignores only that rule', async () => {
  const machine = await machines.start({ notify: { rules: [{ to: ['missing'] }, { to: ['desktop'] }] } });
  const { targets, problems } = await machine.client.notifications.list();
  expect(targets).toEqual([{ name: 'desktop', type: 'desktop', destination: '' }]);
  expect(problems).toEqual([expect.stringContaining('has unknown target "missing"')]);
  expect(machine.log()).toContain('has unknown target "missing"');
  await expect(machine.client.notifications.test('missing')).rejects.toMatchObject({ problem: 'NOT_FOUND' });
});
