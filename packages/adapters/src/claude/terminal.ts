import { flag, type TerminalSpec } from '@agent-mux/core';

/** How to start its terminal UI; seen with claude 2.1 (verification case `terminal`). */
export const TERMINAL: TerminalSpec = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: {
    prompt: ['--permission-mode=default'],
    'accept-edits': ['--permission-mode=acceptEdits'],
    plan: ['--permission-mode=plan'],
    yolo: ['--dangerously-skip-permissions'],
  },
  prompt: (prompt) => ['--', prompt],
};
