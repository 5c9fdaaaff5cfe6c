import type { HookSpec } from '@agent-mux/core';
import { FakeAdapter, type FakeAdapterOptions } from '@agent-mux/testkit';

/** The fake agent with hooks whose payloads use the field names of agent-mux. */
export default function createHookedAdapter(options: FakeAdapterOptions): FakeAdapter {
  return new HookedAdapter(options);
}

const STATES: Readonly<Record<string, 'active' | 'idle' | 'blocked' | 'exited'>> = {
  Prompt: 'active',
  Tool: 'active',
  Ask: 'blocked',
  Stop: 'idle',
  End: 'exited',
};

class HookedAdapter extends FakeAdapter {
  override readonly hooks: HookSpec = {
    events: ['Start', 'Prompt', 'Tool', 'Ask', 'Stop', 'End'].map((name) => ({ name })),
    file: { shape: 'json-groups', path: '.fake/hooks.json', under: ['hooks'] },
    read(event, payload) {
      if (event === 'Throw') throw new Error('the adapter fails');
      const state = STATES[event];
      const text = (name: string) => {
        const value = payload[name];
        return value === undefined ? {} : { [name === 'id' ? 'agentSessionId' : name]: value };
      };
      const fields = ['id', 'cwd', 'prompt', 'answer', 'model'].map(text);
      return Object.assign(state === undefined ? {} : { state }, ...fields);
    },
  };
}
