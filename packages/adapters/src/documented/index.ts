export { acpMode, KEPT_SESSIONS, STREAMED_THOUGHTS } from './acp.ts';
export { failureFromText } from './failure.ts';
export { RESUMED_BY_ID, streamMode, textLine, textMode } from './oneshot.ts';
export { promptArgument, promptFile } from './prompt.ts';
