import { flag, type TerminalFacet } from '@agent-mux/core';

/** How its screen is started; seen with copilot 1.0 (the case `terminal` of the proof). */
export const TERMINAL: TerminalFacet = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: { prompt: [], plan: ['--plan'], yolo: ['--yolo'] },
  prompt: (prompt) => flag('--interactive', prompt),
};
