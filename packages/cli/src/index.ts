import '@agent-mux/core';

export { amux } from './amux.ts';
export { CAPABILITY_LABELS, DELIVERY_LABEL } from './capability-labels.ts';
export { type CapabilityRow, capabilityRows } from './capability-rows.ts';
export { EXIT, EXIT_CODE_HELP, exitCodeOf } from './exit-codes.ts';
