import { expect, it } from 'vitest';
import { FakeAmux } from '../../test/fake-amux.ts';
import { ampAdapter } from './index.ts';

/** Calls of Amp as its plugin API documentation describes them. */
const HOST = `
const { default: plugin } = await import(process.argv[2]);
const handlers = {};
let dispose;
plugin({ on: (name, handler) => { handlers[name] = handler; }, onDispose: (handler) => { dispose = handler; } });
const thread = { id: 'T-1' };
await handlers['session.start']({ thread }, {});
const answer = await handlers['agent.start']({ thread, message: 'Say hello.' }, {});
if (JSON.stringify(answer) !== '{}') throw new Error('agent.start is not left alone');
await handlers['tool.result']({ thread, tool: 'Bash', status: 'done' }, {});
await handlers['agent.end']({ thread, status: 'done', messages: [
  { role: 'user', content: [{ type: 'text', text: 'Say hello.' }] },
  { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'Hello.' }] },
] }, {});
await handlers['agent.end']({}, {});
if (handlers['tool.call']) throw new Error('tool.call decides over a tool');
dispose();
process.exit(0);
`;

it('reports the threads of the user without deciding anything', async () => {
  const hooks = ampAdapter.hooks!;
  using amux = new FakeAmux();
  const text = hooks.file.shape === 'plugin' ? hooks.file.text('amp') : '';
  expect(text).toMatch(/^\/\/ @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now\n/);
  const said = await amux.run('node', amux.write('host.mjs', HOST), amux.write('plugin.mjs', text));
  expect(said).toEqual({ stdout: '', stderr: '' });
  const reports = (await amux.received(5)).map(({ event, payload }) => hooks.read(event.split(' ')[2]!, payload));
  expect(reports).toMatchObject([
    { agentSessionId: 'T-1' },
    { agentSessionId: 'T-1', state: 'active', prompt: 'Say hello.' },
    { agentSessionId: 'T-1', state: 'active' },
    { agentSessionId: 'T-1', state: 'idle', answer: 'Hello.' },
    { agentSessionId: 'T-1', state: 'exited' },
  ]);
});
