import { flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with claude 2.1 (the case `terminal` of the proof). */
export const TERMINAL: TerminalFacet = {
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
