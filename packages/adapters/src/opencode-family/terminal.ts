import { flag, type TerminalSpec } from '@agent-mux/core';

/**
 * How to start their terminal UIs; seen with opencode 1.18.33 and kilo 7.7.7, which ignore a prompt together with a
 * session.
 */
export const TERMINAL: TerminalSpec = {
  resume: (id) => flag('--session', id),
  model: (model) => flag('--model', model),
  prompt: (prompt) => flag('--prompt', prompt),
  resumesWithPrompt: false,
};
