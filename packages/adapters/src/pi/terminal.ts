import { argument, flagApart, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started, by the help of pi 0.87. */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flagApart('--session', 'sessionId', id),
  model: (model) => flagApart('--model', 'model', model),
  prompt: (prompt) => argument('prompt', prompt),
};
