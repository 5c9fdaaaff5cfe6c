import { flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with qwen 0.24 (the case `terminal` of the proof). */
export const TERMINAL: TerminalFacet = {
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
