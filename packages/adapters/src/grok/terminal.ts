import { flag, type TerminalSpec } from '@agent-mux/core';

/**
 * How to start its terminal UI; seen with grok 1.0 (verification case `terminal`). It does not ask for commands that it
 * considers harmless (`touch`).
 */
export const TERMINAL: TerminalSpec = {
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
