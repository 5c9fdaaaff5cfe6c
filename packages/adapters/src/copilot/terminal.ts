import { flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started, by the help of copilot 1.0. */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: { prompt: [], plan: ['--plan'], yolo: ['--yolo'] },
  prompt: (prompt) => flag('--interactive', prompt),
};
