import { argument, flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started, by the help of omp 18.2. */
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
