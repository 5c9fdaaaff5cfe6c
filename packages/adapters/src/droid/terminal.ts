import { flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started, by the help of droid 0.215. Not seen: it begins with a login at Factory, whatever models there are. */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flag('--resume', id),
  prompt: (prompt) => ['--', prompt],
};
