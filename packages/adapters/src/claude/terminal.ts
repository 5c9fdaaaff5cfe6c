import { flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started, by the help of claude 2.1. */
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
