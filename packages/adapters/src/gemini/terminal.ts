import { flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with gemini 0.61 (the case `terminal` of the proof). */
export const TERMINAL: TerminalFacet = {
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
