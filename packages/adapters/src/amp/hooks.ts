import { HOOK_FILE_MARKER, type HookSpec, type HookState } from '@agent-mux/core';
import { hookPluginSource, installedCommand, readHookCall } from '../shared/hooks/plugin.ts';

/** By the event names that a plugin receives. `session.start` also fires for a running thread. */
const STATES: Readonly<Record<string, HookState>> = {
  'agent.start': 'active',
  'tool.result': 'active',
  'agent.end': 'idle',
  dispose: 'exited',
};
const EVENTS = ['session.start', ...Object.keys(STATES)];

/** From its plugin API documentation. `tool.call` decides about a tool and is left alone. */
export const HOOKS: HookSpec = {
  events: EVENTS.map((name) => ({ name })),
  file: {
    shape: 'plugin',
    path: '.amp/plugins/agent-mux-hooks.ts',
    text: (agent) => CONSENT + hookPluginSource(agent, EVENTS, installedCommand(agent)) + PLUGIN,
  },
  trust: 'The plugin API of Amp is experimental. Some releases load plugins only with PLUGINS=all in the environment.',
  read: (event, payload) => readHookCall(STATES, event, payload),
};

/** Releases that call the API experimental load no plugin without the first line. */
const CONSENT = `// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now\n// ${HOOK_FILE_MARKER}\n`;

const PLUGIN = `
export default function (amp) {
  const threads = new Set();
  const on = (name, more) => {
    amp.on(name, (event, ctx) => {
      try {
        const id = event?.thread?.id ?? ctx?.thread?.id;
        if (!id) return undefined;
        threads.add(id);
        send(name, { session_id: id, cwd: process.cwd(), ...more(event) });
      } catch {}
      return name === 'agent.start' ? {} : undefined;
    });
  };
  const answerOf = (messages) => {
    const last = (messages ?? []).filter(({ role }) => role === 'assistant').at(-1);
    const parts = Array.isArray(last?.content) ? last.content : [];
    return short(parts.filter(({ type }) => type === 'text').map(({ text }) => text).join('\\n'));
  };
  on('session.start', () => ({}));
  on('agent.start', ({ message }) => ({ prompt: short(message) }));
  on('tool.result', ({ tool }) => ({ tool_name: tool }));
  on('agent.end', ({ messages }) => ({ last_assistant_message: answerOf(messages) }));
  amp.onDispose?.(() => {
    for (const id of threads) send('dispose', { session_id: id, cwd: process.cwd() });
  });
}
`;
