import { argument, flagApart, type TerminalSpec } from '@agent-mux/core';

/** How to start its terminal UI; seen with pi 0.87 (verification case `terminal`). */
export const TERMINAL: TerminalSpec = {
  resume: (id) => flagApart('--session', 'sessionId', id),
  model: (model) => flagApart('--model', 'model', model),
  prompt: (prompt) => argument('prompt', prompt),
};
