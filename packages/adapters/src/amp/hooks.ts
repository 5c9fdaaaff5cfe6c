import { HOOK_FILE_MARK, type HookFacet, type HookState } from '@agent-mux/core';
import { installedCommand, readTold, tellSource } from '../shared/hooks/plugin.ts';

/** By the names of the events that a plugin is handed. `session.start` also fires for a thread that is running. */
const STATES: Readonly<Record<string, HookState>> = {
  'agent.start': 'active',
  'tool.result': 'active',
  'agent.end': 'idle',
  dispose: 'exited',
};
const EVENTS = ['session.start', ...Object.keys(STATES)];

/** By the documentation of its plugin API. `tool.call` decides over a tool, and is left alone. */
export const HOOKS: HookFacet = {
  events: EVENTS.map((name) => ({ name })),
  file: {
    shape: 'plugin',
    path: '.amp/plugins/agent-mux-hooks.ts',
    text: (agent) => CONSENT + tellSource(agent, EVENTS, installedCommand(agent)) + PLUGIN,
  },
  trust: 'The plugin API of Amp is experimental. Some releases load plugins only with PLUGINS=all in the environment.',
  read: (event, payload) => readTold(STATES, event, payload),
};

/** Releases that call the API experimental load no plugin without the first line. */
const CONSENT = `// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now\n// ${HOOK_FILE_MARK}\n`;

const PLUGIN = `
export default function (amp) {
  const threads = new Set();
  const on = (name, more) => {
    amp.on(name, (event, ctx) => {
      try {
        const id = event?.thread?.id ?? ctx?.thread?.id;
        if (!id) return undefined;
        threads.add(id);
        tell(name, { session_id: id, cwd: process.cwd(), ...more(event) });
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
    for (const id of threads) tell('dispose', { session_id: id, cwd: process.cwd() });
  });
}
`;
