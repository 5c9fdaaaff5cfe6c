import { flag, type TerminalFacet } from '@agent-mux/core';

/** How their screens are started, by the help of opencode 1.18 and kilo 7.7. */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flag('--session', id),
  model: (model) => flag('--model', model),
  prompt: (prompt) => flag('--prompt', prompt),
};
