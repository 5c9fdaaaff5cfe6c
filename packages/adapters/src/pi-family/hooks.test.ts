import { join } from 'node:path';
import type { HookSpec } from '@agent-mux/core';
import { expect, it } from 'vitest';
import { FakeAmux } from '../../test/fake-amux.ts';
import { HOOKS as OMP } from '../omp/hooks.ts';
import { HOOKS as PI } from '../pi/hooks.ts';

/** Calls of pi and omp to an extension, in the order of 0.87.1 and 18.2.3. */
const HOST = `
const { default: extension } = await import(process.argv[2]);
const handlers = {};
const load = (into) => extension({ on: (name, handle) => { (into[name] ??= []).push(handle); } });
const context = (id) => ({
  sessionManager: { getSessionId: () => id },
  cwd: process.cwd(),
  model: { provider: 'lab', id: 'scripted-model' },
  isIdle: () => false,
});
const fire = (into, id, name, event) => { for (const handle of into[name] ?? []) handle({ type: name, ...event }, context(id)); };
load(handlers);
const answer = { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'Hello.' }] };
const main = (name, event) => fire(handlers, 'session-1', name, event);
main('session_start', { reason: 'startup' });
main('before_agent_start', { prompt: 'Say hello.' });
main('agent_start', {});
main('tool_execution_start', { toolName: 'bash' });
main(process.argv[3], { toolName: 'bash', kind: 'confirm' });
// A subagent: the same extension once more.
const sub = {};
load(sub);
fire(sub, 'subagent', 'session_start', {});
fire(sub, 'subagent', 'agent_start', {});
fire(sub, 'subagent', 'agent_end', { messages: [answer] });
main('agent_end', { messages: [{ role: 'user', content: [] }, answer] });
main('agent_settled', {});
main('session_shutdown', { reason: 'quit' });
process.exit(0);
`;

const about = { session_id: 'session-1', model: 'lab/scripted-model' };

it.each([
  { agent: 'pi', hooks: PI, asks: 'ui_prompt_start', state: 'waiting_input', settled: 'agent_settled' },
  { agent: 'omp', hooks: OMP, asks: 'tool_approval_requested', state: 'blocked', settled: 'agent_end' },
])('$agent: the extension reports the session of the user and exits with it', async ({ agent, hooks, ...names }) => {
  using amux = new FakeAmux();
  const extension = amux.write('extension.mjs', textOf(hooks, agent));
  const host = amux.write('host.mjs', HOST);
  const said = await amux.run('node', host, extension, names.asks);
  expect(said).toEqual({ stdout: '', stderr: '' });
  const received = await amux.received(6);
  expect(received.map(({ event, payload }) => [event, payload])).toMatchObject([
    [`hooks ${agent} session_start`, about],
    [`hooks ${agent} agent_start`, { ...about, prompt: 'Say hello.' }],
    [`hooks ${agent} tool_execution_start`, { ...about, tool_name: 'bash' }],
    [`hooks ${agent} ${names.asks}`, about],
    [`hooks ${agent} ${names.settled}`, { ...about, last_assistant_message: 'Hello.' }],
    [`hooks ${agent} session_shutdown`, { ...about, last_assistant_message: 'Hello.' }],
  ]);
  const reports = received.map(({ event, payload }) => hooks.read(event.split(' ')[2]!, payload));
  expect(reports.map(({ state }) => state)).toEqual([undefined, 'active', 'active', names.state, 'idle', 'exited']);
  expect(reports[1]).toMatchObject({
    agentSessionId: 'session-1',
    prompt: 'Say hello.',
    model: 'lab/scripted-model',
  });
  expect(reports[4]).toMatchObject({ answer: 'Hello.' });
  expect(reports[0]?.cwd).toContain('amux-hooks-');
});

it('changes nothing for the agent without amux on the path or in a deleted folder', async () => {
  using amux = new FakeAmux();
  const extension = amux.write('extension.mjs', textOf(PI, 'pi').replaceAll('"amux hooks', '"no-such-program hooks'));
  const host = amux.write('host.mjs', HOST.replace('cwd: process.cwd()', "cwd: '/no/such/folder'"));
  const broken = HOST.replace('getSessionId: () => id', "getSessionId: () => { throw new Error('gone'); }");
  for (const program of [host, amux.write('broken.mjs', broken)]) {
    expect(await amux.run('node', program, extension, 'ui_prompt_start')).toEqual({ stdout: '', stderr: '' });
  }
});

it('is passed by a flag for one run and uses the given commands', () => {
  const launch = PI.forRun!((event) => `/opt/amux hooks pi ${event} session-7`, '/scratch');
  const [name] = Object.keys(launch.files ?? {});
  expect(launch.args).toEqual(['-e', join('/scratch', name!)]);
  expect(launch.files?.[name!]).toContain('"agent_start": "/opt/amux hooks pi agent_start session-7"');
});

it('ignores a foreign payload', () => {
  expect(PI.read('constructor', { session_id: 7, prompt: ['x'], cwd: null })).toEqual({});
});

function textOf({ file }: HookSpec, agent: string): string {
  return file.shape === 'plugin' ? file.text(agent) : '';
}
