import { argument, flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with codex 0.166 (the case `terminal` of the proof). */
export const TERMINAL: TerminalFacet = {
  resume: (id) => ['resume', ...argument('sessionId', id)],
  model: (model) => flag('--model', model),
  approvalModes: {
    // In `workspace-write` it changes files unasked, and the policy `untrusted`, by which a run asks, is refused to a screen (0.166).
    prompt: ['--sandbox=read-only', '--ask-for-approval=on-request'],
    plan: ['--sandbox=read-only', '--ask-for-approval=never'],
    yolo: ['--dangerously-bypass-approvals-and-sandbox'],
  },
  prompt: (prompt) => ['--', prompt],
};
