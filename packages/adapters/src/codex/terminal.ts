import { argument, flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started, by the help of codex 0.166. */
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
