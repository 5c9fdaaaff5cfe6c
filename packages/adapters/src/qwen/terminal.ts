import { flag, type TerminalSpec } from '@agent-mux/core';

/** How to start its terminal UI; seen with qwen 0.24 (verification case `terminal`). */
export const TERMINAL: TerminalSpec = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: {
    prompt: ['--approval-mode=default'],
    'accept-edits': ['--approval-mode=auto-edit'],
    plan: ['--approval-mode=plan'],
    yolo: ['--approval-mode=yolo'],
  },
  prompt: (prompt) => flag('--prompt-interactive', prompt),
};
