import { argument, flagApart, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with pi 0.87 (the case `terminal` of the proof). */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flagApart('--session', 'sessionId', id),
  model: (model) => flagApart('--model', 'model', model),
  prompt: (prompt) => argument('prompt', prompt),
};
