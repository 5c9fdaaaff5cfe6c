import { flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with grok 1.0 (the case `terminal` of the proof). It asks for no command that it takes for harmless (`touch`). */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: {
    prompt: ['--permission-mode=default'],
    'accept-edits': ['--permission-mode=acceptEdits'],
    plan: ['--permission-mode=plan'],
    yolo: ['--permission-mode=bypassPermissions'],
  },
  prompt: (prompt) => ['--', prompt],
};
