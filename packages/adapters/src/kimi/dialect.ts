import type { EventBody, ResolvedRunOptions } from '@agent-mux/core';
import type { AcpDialect } from '../acp/dialect.ts';
import { isRecord, type Json, parseRecord, record, records, text } from '../shared/json.ts';

/** `kimi acp` 2.1.0. */
export const KIMI_ACP: AcpDialect = {
  // `default` asks for everything that is not read-only; which calls are edits is known here (tool-kinds.ts), not in
  // its `auto`.
  modes: { prompt: 'default', 'accept-edits': 'default', plan: 'plan', deny: 'default', yolo: 'yolo' },
  model: { by: 'config', configId: 'model' },
  configOptions: ({ thinkingEffort }: ResolvedRunOptions) =>
    thinkingEffort === undefined ? [] : [{ configId: 'thinking', value: thinkingEffort }],
  elicitation: true,
  wordlessTurnFailed: true,
  readProse: readKimiNotice,
  // The first mention of a call has its name as the title; later ones describe it.
  toolName: (update: Json) => (update.sessionUpdate === 'tool_call' ? text(update.title) : undefined),
  // Arguments come as text while the model is still writing them; a permission request has none.
  toolInput: (update: Json) => {
    if (isRecord(update.rawInput)) return update.rawInput;
    if (update.status !== 'pending' && update.status !== 'in_progress') return undefined;
    const written = records(update.content).map((part) => text(record(part.content).text) ?? '');
    return parseRecord(written.join('')) ?? undefined;
  },
  mcpTool: (name) => {
    const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
    return server === undefined || tool === undefined ? undefined : { server, tool };
  },
};

/** Messages of the CLI about the context in place of model output, each as a separate chunk. */
function readKimiNotice(chunk: string): EventBody[] | null {
  if (/^Compaction completed\.\n- Messages compacted: /.test(chunk))
    return [{ type: 'context_compacted', summary: chunk }];
  if (chunk === 'Compaction cancelled.')
    return [{ type: 'context_exceeded', message: 'the context is full and could not be compacted' }];
  if (
    /^Compacting conversation context(?:…| with instruction: )|^Compaction is blocked by the current turn;/.test(chunk)
  )
    return [{ type: 'debug', level: 'info', code: 'kimi_compaction', message: chunk }];
  return null;
}
