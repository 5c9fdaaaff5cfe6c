export { FakeAdapter, type FakeAdapterOptions } from './adapter.ts';
export { type FakeLiveState, fakeLiveCodec } from './live-codec.ts';
export { RunningFakeAgent, type StartOptions, startFakeAgent } from './running.ts';
export { fakeAgent, fakeAgentPath } from './spawn.ts';
export type { LineEnding, LiveStep, OutputStream, Signal, Step } from './steps.ts';
