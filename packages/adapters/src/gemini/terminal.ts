import { flag, type TerminalSpec } from '@agent-mux/core';

/** How to start its terminal UI; seen with gemini 0.61 (verification case `terminal`). */
export const TERMINAL: TerminalSpec = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: {
    prompt: ['--approval-mode=default'],
    'accept-edits': ['--approval-mode=auto_edit'],
    plan: ['--approval-mode=plan'],
    yolo: ['--approval-mode=yolo'],
  },
  prompt: (prompt) => flag('--prompt-interactive', prompt),
};
