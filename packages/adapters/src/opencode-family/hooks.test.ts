import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FakeAmux } from '../../test/fake-amux.ts';
import { kiloAdapter } from '../kilo/index.ts';
import { openCodeAdapter } from '../opencode/index.ts';

/** Calls of opencode 1.18.33 and kilo 7.7.7, in order, with the relevant fields. */
const HOST = `
const plugins = Object.values(await import(process.argv[2]));
const hooks = await plugins[0]({ directory: process.cwd() });
const event = (type, properties) => hooks.event({ event: { type, properties } });
const text = (sessionID, text, time) => event('message.part.updated', { part: { type: 'text', sessionID, text, ...time } });
await event('session.created', { sessionID: 'ses_1', info: { id: 'ses_1', directory: process.cwd() } });
await event('plugin.added', { id: 'x' });
await event('server.connected');
await hooks['chat.message']({ sessionID: 'ses_1' }, {
  message: { model: { providerID: 'lab', modelID: 'scripted-model' } },
  parts: [{ type: 'text', text: 'Say hello.' }, { type: 'text', synthetic: true, text: 'a file' }, { type: 'file' }],
});
await text('ses_1', 'Say hello.', {});
await hooks['tool.execute.before']({ sessionID: 'ses_1', tool: 'task', callID: 'call_1' }, { args: {} });
// A subagent.
await event('session.created', { sessionID: 'ses_2', info: { id: 'ses_2', parentID: 'ses_1' } });
await hooks['chat.message']({ sessionID: 'ses_2' }, { message: {}, parts: [] });
await text('ses_2', 'Done.', { time: { start: 1, end: 2 } });
await event('session.idle', { sessionID: 'ses_2' });
await event('permission.asked', { id: 'per_1', sessionID: 'ses_1', permission: 'bash' });
await event('permission.replied', { requestID: 'per_1', sessionID: 'ses_1', reply: 'once' });
await text('ses_1', 'Hel', { time: { start: 1 } });
await text('ses_1', 'Hello.', { time: { start: 1, end: 2 } });
await event('session.idle', { sessionID: 'ses_1' });
await event('message.part.updated', {});
await hooks.dispose();
process.exit(0);
`;

it.each([openCodeAdapter, kiloAdapter])('$agent: the plugin reports the session of the user', async (adapter) => {
  const { agent } = adapter;
  const hooks = adapter.hooks!;
  using amux = new FakeAmux();
  const text = hooks.file.shape === 'plugin' ? hooks.file.text(agent) : '';
  const said = await amux.run('node', amux.write('host.mjs', HOST), amux.write('plugin.mjs', text));
  expect(said).toEqual({ stdout: '', stderr: '' });
  const received = await amux.received(7);
  expect(received.map(({ event, payload }) => [event, payload])).toMatchObject([
    [`hooks ${agent} session.created`, { session_id: 'ses_1' }],
    [`hooks ${agent} chat.message`, { session_id: 'ses_1', prompt: 'Say hello.', model: 'lab/scripted-model' }],
    [`hooks ${agent} tool.execute.before`, { session_id: 'ses_1', tool_name: 'task' }],
    [`hooks ${agent} permission.asked`, { session_id: 'ses_1' }],
    [`hooks ${agent} permission.replied`, { session_id: 'ses_1' }],
    [`hooks ${agent} session.idle`, { session_id: 'ses_1', last_assistant_message: 'Hello.' }],
    [`hooks ${agent} dispose`, { session_id: 'ses_1' }],
  ]);
  const reports = received.map(({ event, payload }) => hooks.read(event.split(' ')[2]!, payload));
  const states = [undefined, 'active', 'active', 'blocked', 'active', 'idle', 'exited'];
  expect(reports.map(({ state }) => state)).toEqual(states);
  expect(reports[1]).toMatchObject({ agentSessionId: 'ses_1', prompt: 'Say hello.', model: 'lab/scripted-model' });
  expect(reports[5]).toMatchObject({ answer: 'Hello.' });
});

it('is in a configuration folder that needs no install for one run', () => {
  const launch = kiloAdapter.hooks!.forRun!((event) => `amux hooks kilo ${event}`, '/scratch');
  expect(launch.env).toEqual({ KILO_CONFIG_DIR: join('/scratch', 'hooks') });
  expect(launch.envDefaults).toHaveProperty('npm_config_fetch_retry_maxtimeout', '1000');
  expect(Object.keys(launch.files ?? {})).toEqual([
    'hooks/plugins/agent-mux-hooks.js',
    'hooks/package-lock.json',
    'hooks/node_modules/.keep',
  ]);
  expect(launch.files?.['hooks/package-lock.json']).toContain('@kilocode/plugin');
});
