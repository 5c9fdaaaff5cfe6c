import { argument, flag, type TerminalSpec } from '@agent-mux/core';

/**
 * How to start its terminal UI; seen with omp 18.2 (verification case `terminal`). The user's settings for a tool win
 * over a level.
 */
export const TERMINAL: TerminalSpec = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: {
    prompt: ['--approval-mode=always-ask'],
    'accept-edits': ['--approval-mode=write'],
    yolo: ['--approval-mode=yolo'],
  },
  prompt: (prompt) => argument('prompt', prompt),
};
