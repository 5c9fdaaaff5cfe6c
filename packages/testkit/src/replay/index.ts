export { assertDeterministic } from './determinism.ts';
export { type LiveAct, type LiveReplay, type ReplayLiveOptions, replayLive } from './live.ts';
export { type ReplayOneshotOptions, replayOneshot } from './oneshot.ts';
export { only, shapeOf, textOf } from './pick-events.ts';
export { parseRecording, type RecordedLine, readRecording } from './recording.ts';
export { createParseContext, createResolvedOptions, REPLAY_NOW } from './resolved-options.ts';
