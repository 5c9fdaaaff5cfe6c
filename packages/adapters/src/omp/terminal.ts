import { argument, flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with omp 18.2 (the case `terminal` of the proof). What the user's settings say of a tool goes before a level. */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: {
    prompt: ['--approval-mode=always-ask'],
    'accept-edits': ['--approval-mode=write'],
    yolo: ['--approval-mode=yolo'],
  },
  prompt: (prompt) => argument('prompt', prompt),
};
