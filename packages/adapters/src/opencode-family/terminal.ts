import { flag, type TerminalFacet } from '@agent-mux/core';

/** How their screens are started; seen with opencode 1.18.33 and kilo 7.7.7, which do nothing with a prompt beside a session. */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flag('--session', id),
  model: (model) => flag('--model', model),
  prompt: (prompt) => flag('--prompt', prompt),
  resumesWithPrompt: false,
};
