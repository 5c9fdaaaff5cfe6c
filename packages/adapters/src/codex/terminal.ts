import { argument, flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with codex 0.166 (the case `terminal` of the proof). */
export const TERMINAL: TerminalFacet = {
  resume: (id) => ['resume', ...argument('sessionId', id)],
  model: (model) => flag('--model', model),
  approvalModes: {
    prompt: ['--sandbox=workspace-write', '--ask-for-approval=on-request'],
    plan: ['--sandbox=read-only', '--ask-for-approval=on-request'],
    yolo: ['--dangerously-bypass-approvals-and-sandbox'],
  },
  prompt: (prompt) => ['--', prompt],
};
