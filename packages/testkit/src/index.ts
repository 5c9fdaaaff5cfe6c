import '@agent-mux/core';

export * from './fake-agent/index.ts';
export * from './model/index.ts';
export { assertEventOrder, orderFaults } from './order.ts';
export * from './proof/index.ts';
export * from './replay/index.ts';
export { fillDisk, mountDiskAt, mountSmallDisk } from './small-disk.ts';
export * from './sshd/sshd.ts';
