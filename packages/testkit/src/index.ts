import '@agent-mux/core';

export { assertEventOrder, findEventOrderViolations } from './event-order.ts';
export * from './fake-agent/index.ts';
export * from './model/index.ts';
export * from './replay/index.ts';
export { fillDisk, mountDiskAt, mountSmallDisk } from './small-disk.ts';
export * from './sshd/sshd.ts';
export * from './verify/index.ts';
