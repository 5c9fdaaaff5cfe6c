import { join } from 'node:path';
import type { HookSpec, HookState } from '@agent-mux/core';
import { hookPluginSource, installedCommand, readHookCall } from '../shared/hooks/plugin.ts';

export interface PiHooks {
  agent: string;
  /** Where the CLI looks for extensions of a project. */
  path: string;
  trust?: string;
  /** The event after which nothing more happens on its own. */
  settled: 'agent_settled' | 'agent_end';
  /** In addition to the common ones: events that start or end a wait for the user. */
  asking: Readonly<Record<string, HookState>>;
}

const FILE = 'agent-mux-hooks.js';

/** Hooks are handlers of an extension. Seen firing without a terminal with pi 0.87.1 and omp 18.2.3. */
export function piHooks({ agent, path, trust, settled, asking }: PiHooks): HookSpec {
  const states: Readonly<Record<string, HookState>> = {
    agent_start: 'active',
    tool_execution_start: 'active',
    ...asking,
    [settled]: 'idle',
    session_shutdown: 'exited',
  };
  const events = ['session_start', ...Object.keys(states)];
  const text = (commandOf: (event: string) => string) =>
    hookPluginSource(agent, events, commandOf) + extensionSource(settled, Object.keys(asking));
  return {
    events: events.map((name) => ({ name })),
    file: { shape: 'plugin', path, text: (name) => text(installedCommand(name)) },
    ...(trust === undefined ? {} : { trust }),
    read: (event, payload) => readHookCall(states, event, payload),
    forRun: (commandOf, scratchDir) => ({
      args: ['-e', join(scratchDir, FILE)],
      files: { [FILE]: text(commandOf) },
    }),
  };
}

/**
 * omp loads an extension again for each subagent: the first one is the session of the user, until it shuts down. A
 * switch to another session has its own event in omp; pi shuts down, and starts again.
 */
function extensionSource(settled: string, asking: readonly string[]): string {
  return `
const FIRST = Symbol.for('agent-mux.hooks');

export default function agentMux(pi) {
  let session;
  let prompt;
  let answer;
  const about = ({ sessionManager, cwd, model }) => ({
    session_id: sessionManager.getSessionId(),
    cwd,
    model: model ? model.provider + '/' + model.id : undefined,
  });
  const on = (name, handle) =>
    pi.on(name, (event, context) => {
      try {
        globalThis[FIRST] ??= pi;
        if (globalThis[FIRST] === pi) handle(event, context);
      } catch {}
    });
  const begin = (event, context) => {
    const now = about(context);
    if (session && session.session_id !== now.session_id) send('session_shutdown', session);
    session = now;
    send('session_start', now);
  };
  for (const name of ['session_start', 'session_switch', 'session_branch']) on(name, begin);
  on('before_agent_start', (event) => {
    prompt = short(event.prompt);
  });
  on('agent_start', (event, context) => {
    send('agent_start', { ...about(context), prompt });
    prompt = undefined;
  });
  on('tool_execution_start', (event, context) => {
    send('tool_execution_start', { ...about(context), tool_name: event.toolName });
  });
  for (const name of ${JSON.stringify(asking)})
    on(name, (event, context) => {
      if (context.isIdle?.() !== true) send(name, { ...about(context), tool_name: event.toolName, title: short(event.title) });
    });
  on('agent_end', (event) => {
    const last = event.messages.findLast((message) => message.role === 'assistant');
    answer = short((last?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join(''));
  });
  on('${settled}', (event, context) => {
    if (event.willContinue !== true) send('${settled}', { ...about(context), last_assistant_message: answer });
  });
  on('session_shutdown', (event, context) => {
    if (event.reason !== 'reload') send('session_shutdown', { ...about(context), last_assistant_message: answer });
    globalThis[FIRST] = undefined;
  });
}
`;
}
