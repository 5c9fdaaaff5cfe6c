export * from './common.ts';
export * from './message.ts';
export * from './request.ts';
export * from './session.ts';
