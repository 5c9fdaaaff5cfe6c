interface OpenTool {
  name: string;
  mcpServer: string | null;
}

/** State shared by the items of a turn; the same in both modes. */
export interface ItemState {
  model: string | null;
  message: { id: string; streamed: boolean } | null;
  thinking: { id: string; streamed: boolean } | null;
  tools: Record<string, OpenTool>;
  /** Threads of subagents, by their id: the call that started them. */
  subagents: Record<string, string>;
  /** Calls whose denial has been emitted. */
  denied: string[];
}

export function itemState(model: string | null): ItemState {
  return { model, message: null, thinking: null, tools: {}, subagents: {}, denied: [] };
}
