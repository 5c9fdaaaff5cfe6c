export type { Outcome } from './deliver.ts';
export { scriptByPrompt } from './prompt-script.ts';
export type { Reply, ReplyUsage, StatusOptions, TextOptions } from './reply.ts';
export { reply } from './reply.ts';
export type {
  ModelApi,
  ModelMessage,
  ModelRequest,
  ModelToolCall,
  ModelToolResult,
  OtherRequest,
  Purpose,
} from './request.ts';
export { answerAuxiliary, HELLO, inOrder, type ReplyLike, type Scenario } from './scenario.ts';
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './server.ts';
