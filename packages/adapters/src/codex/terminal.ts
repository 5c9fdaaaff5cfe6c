import { argument, flag, type TerminalSpec } from '@agent-mux/core';

/** How to start its terminal UI; seen with codex 0.166 (verification case `terminal`). */
export const TERMINAL: TerminalSpec = {
  resume: (id) => ['resume', ...argument('sessionId', id)],
  model: (model) => flag('--model', model),
  approvalModes: {
    // In `workspace-write` it changes files without asking, and its terminal UI refuses the policy `untrusted`, which a
    // run uses to ask (0.166).
    prompt: ['--sandbox=read-only', '--ask-for-approval=on-request'],
    plan: ['--sandbox=read-only', '--ask-for-approval=never'],
    yolo: ['--dangerously-bypass-approvals-and-sandbox'],
  },
  prompt: (prompt) => ['--', prompt],
};
