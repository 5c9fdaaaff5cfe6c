import { flag, type TerminalSpec } from '@agent-mux/core';

/** How to start its terminal UI; seen with copilot 1.0 (verification case `terminal`). */
export const TERMINAL: TerminalSpec = {
  resume: (id) => flag('--resume', id),
  model: (model) => flag('--model', model),
  approvalModes: { prompt: [], plan: ['--plan'], yolo: ['--yolo'] },
  prompt: (prompt) => flag('--interactive', prompt),
};
