import { flag, type TerminalSpec } from '@agent-mux/core';

/**
 * How to start its terminal UI, from the help of droid 0.215. Not tested: it starts with a login at Factory, whatever
 * models there are.
 */
export const TERMINAL: TerminalSpec = {
  resume: (id) => flag('--resume', id),
  prompt: (prompt) => ['--', prompt],
};
