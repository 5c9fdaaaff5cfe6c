import type { ModelMessage, ModelToolResult } from './request.ts';

export interface TurnPosition {
  prompt: string;
  turn: number;
  step: number;
  toolResults: ModelToolResult[];
}

/** Blocks that CLIs put into user messages and that no user wrote. */
const INJECTED: readonly RegExp[] = [
  /<system-reminder>[\s\S]*?<\/system-reminder>/g,
  /<system_reminder>[\s\S]*?<\/system_reminder>/g,
  /<environment_context>[\s\S]*?<\/environment_context>/g,
  /<environment_details>[\s\S]*?<\/environment_details>/g,
  /<session_context>[\s\S]*?<\/session_context>/g,
  /<current_datetime>[\s\S]*?<\/current_datetime>/g,
  /<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>/g,
];

/** Position of a request in its turn. Derived only from the conversation, so it is right after a resume as well. */
export function turnPosition(messages: readonly ModelMessage[]): TurnPosition {
  let position: TurnPosition = { prompt: '', turn: -1, step: 0, toolResults: [] };
  let inUserGroup = false;
  for (const message of messages) {
    const written = message.role === 'user' ? withoutInjected(message.text) : '';
    if (written) {
      // Consecutive user messages are one input: CLIs send their context as a separate message before the prompt.
      const turn = inUserGroup ? position.turn : position.turn + 1;
      position = { prompt: written, turn, step: 0, toolResults: [] };
      inUserGroup = true;
      continue;
    }
    position.toolResults.push(...message.toolResults);
    if (message.role === 'assistant') {
      position.step += 1;
      inUserGroup = false;
    }
  }
  return { ...position, turn: Math.max(position.turn, 0) };
}

function withoutInjected(text: string): string {
  return INJECTED.reduce((rest, block) => rest.replace(block, ''), text).trim();
}
